/**
 * Measures the time of a request that is split into three tasks, beside the longest path through its
 * plan:
 *
 * ```sh
 * deno task bench:split
 * ```
 *
 * Every call of the simulator waits for half a second, so the longest path is plan, task, answer.
 *
 * @module
 */

import type { ChatCompletion } from "@svc/sdk/protocol";
import { TestService } from "../fixtures/service.ts";

const CALL_MS = 500;
const ROUNDS = 5;
/** Maximum ratio of the wall time to the longest path. */
const MARK = 1.4;

async function main(): Promise<void> {
  await using service = await TestService.start();
  const wish = `[[sim {"delayMs": ${CALL_MS}}]]`;
  const messages = [{ role: "user", content: `Compare tea, coffee and cocoa. ${wish}` }];
  const times: number[] = [];
  let calls = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    const answer: ChatCompletion = await (await service.chat({ messages })).json();
    times.push(performance.now() - startedMs);
    calls = answer.orchestration?.tasks.length ?? 1;
  }
  const tasks = calls - 2;
  const pathMs = 3 * CALL_MS;
  const medianMs = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  const ratio = medianMs / pathMs;
  console.log(
    `${calls} calls of ${CALL_MS} ms, ${tasks} of them tasks: ${medianMs.toFixed(0)} ms, ` +
      `${ratio.toFixed(2)} times the longest path (mark: under ${MARK}); ` +
      `one after the other they would take ${calls * CALL_MS} ms`,
  );
}

if (import.meta.main) await main();
