/**
 * A thread that holds and searches the loaded indexes, so that neither blocks the gateway.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { parentPort } from "node:worker_threads";
import type { IndexAnswer, NumberedRequest } from "./index_thread.ts";
import { memoryCheck } from "./memory_check.ts";
import { PassageIndex } from "./passage_index.ts";

const indexes = new Map<string, PassageIndex>();
let last: Promise<void> = Promise.resolve();
const checkMemory = memoryCheck();

parentPort?.on("message", (question: NumberedRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answer(question)));
  // Answers are made in microtasks only: when the event loop turns they exist, or never will.
  setImmediate(checkMemory);
});

async function answer(question: NumberedRequest): Promise<IndexAnswer> {
  const { number, storeId } = question;
  if (question.ask === "drop") {
    indexes.delete(storeId);
    return { number, hits: [] };
  }
  const index = indexes.get(storeId) ?? new PassageIndex();
  if (question.ask === "search") {
    return { number, hits: await index.search(question.text, question) };
  }
  indexes.set(storeId, index);
  if (question.ask === "addVectors") {
    index.addVectors(question.vectors);
    return { number, hits: [] };
  }
  for (const passage of question.passages) await index.add(passage);
  return { number, hits: [] };
}
