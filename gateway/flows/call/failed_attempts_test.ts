import { assertEquals } from "@std/assert";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { LogFields } from "../../ports/logger.ts";
import { FailedAttempts, upstreamMessage } from "./failed_attempts.ts";

function candidate(upstream: string): Candidate {
  return { model: { id: "m" }, upstream: { id: upstream } } as Candidate;
}

Deno.test("an upstream has one line a second, with the count of those in between", () => {
  let nowMs = 0;
  const lines: LogFields[] = [];
  const warn = (_event: string, fields: LogFields = {}) => void lines.push(fields);
  const log = new FailedAttempts({
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    logger: { info: () => {}, warn, error: () => {} },
  });
  const fail = (upstream: string, words: string) =>
    log.note("req", { candidate: candidate(upstream), outcome: "server_error", words });
  for (let call = 0; call < 5; call++) fail("a", `a${call}`);
  fail("b", "b0");
  nowMs = 1_000;
  fail("a", "a5");
  assertEquals(lines.map(({ upstream, words, count }) => [upstream, words, count]), [
    ["a", "a0", 1],
    ["b", "b0", 1],
    ["a", "a5", 5],
  ]);
});

Deno.test("words end with a whole character within two kilobytes", async () => {
  const words = await upstreamMessage({ message: "", words: `x${"é".repeat(3_000)}` }, undefined);
  assertEquals(words, `x${"é".repeat(1_023)}`);
  assertEquals(await upstreamMessage({ message: "It is cold" }, { a: "b" }), "It is cold");
});
