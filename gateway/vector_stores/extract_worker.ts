/**
 * A thread that gets the text out of one file, within a budget.
 *
 * @module
 */

import { parentPort } from "node:worker_threads";
import { type ExtractBudget, imposeBudget } from "./extract_budget.ts";
import { type Extracted, extractPassages } from "./extract_passages.ts";

/** What the thread is given. */
export interface ExtractJob {
  readonly budget: ExtractBudget;
  readonly file: { readonly mediaType: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

parentPort?.once("message", async (job: ExtractJob) => {
  parentPort?.postMessage(await extract(job));
});

async function extract({ budget, file }: ExtractJob): Promise<Extracted> {
  const exhausted = imposeBudget(budget);
  let result: Extracted | undefined;
  try {
    result = await extractPassages(file);
  } catch (error) {
    if (exhausted() === undefined) throw error;
  }
  const ranOut = exhausted();
  if (ranOut === undefined && result !== undefined) return result;
  return { ok: false, problem: `it takes too much ${ranOut} to get its text out` };
}
