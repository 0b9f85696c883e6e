/**
 * A thread that extracts the text of one file, within a budget.
 *
 * @module
 */

import { parentPort } from "node:worker_threads";
import { type ExtractBudget, imposeBudget } from "./extract_budget.ts";
import { type ExtractionResult, extractPassages } from "./extract_passages.ts";
import { memoryCheck } from "./memory_check.ts";

const MEMORY_CHECK_MS = 50;

/** Input of the thread. */
export interface ExtractJob {
  readonly budget: ExtractBudget;
  readonly mediaType: string;
  /** Port on which the bytes of the file arrive as one message. */
  readonly bytes: MessagePort;
}

// Loaded outside a thread, as by tests, it does nothing.
if (parentPort !== null) setInterval(memoryCheck(), MEMORY_CHECK_MS);
parentPort?.once("message", ({ budget, bytes, mediaType }: ExtractJob) => {
  bytes.onmessage = async ({ data }: MessageEvent<Uint8Array>) => {
    bytes.close();
    parentPort?.postMessage(await extract({ mediaType, bytes: data }, budget));
  };
});

async function extract(
  file: { readonly mediaType: string; readonly bytes: Uint8Array },
  budget: ExtractBudget,
): Promise<ExtractionResult> {
  const exhausted = imposeBudget(budget);
  let result: ExtractionResult | undefined;
  try {
    result = await extractPassages(file);
  } catch (error) {
    if (exhausted() === undefined) throw error;
  }
  const ranOut = exhausted();
  if (ranOut === undefined && result !== undefined) return result;
  return { ok: false, problem: `it takes too much ${ranOut} to get its text out` };
}
