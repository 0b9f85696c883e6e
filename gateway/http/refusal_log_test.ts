import { assertEquals } from "@std/assert";
import type { LogFields } from "../ports/logger.ts";
import { RefusalLog } from "./refusal_log.ts";

Deno.test("a line a second at most says how many were refused", () => {
  const lines: [string, LogFields | undefined][] = [];
  const logger = {
    info: () => {},
    warn: (event: string, fields?: LogFields) => void lines.push([event, fields]),
    error: () => {},
  };
  let nowMs = 5;
  const clock = { nowMs: () => 0, monotonicMs: () => nowMs };
  const refusals = new RefusalLog("admin", { logger, clock });
  const note = (n: number) => refusals.note({ requestId: `req_${n}`, remoteAddress: "10.0.0.1" });

  note(1);
  for (let n = 2; n <= 4; n++) note(n);
  nowMs += 999;
  note(5);
  assertEquals(lines.length, 1);
  nowMs += 1;
  note(6);
  nowMs += 60_000;
  note(7);
  const line = (count: number, requestId: string) => [
    "unauthorized",
    { listener: "admin", count, requestId, remoteAddress: "10.0.0.1" },
  ];
  assertEquals<unknown>(lines, [line(1, "req_1"), line(5, "req_6"), line(1, "req_7")]);
});
