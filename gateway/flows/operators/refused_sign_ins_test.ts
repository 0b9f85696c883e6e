import { assertEquals } from "@std/assert";
import { REFUSALS_NOTED, RefusedSignIns } from "./refused_sign_ins.ts";

Deno.test("an hour has a bounded number of refused sign-ins, and the next one counts the others", () => {
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  const refused = new RefusedSignIns(clock);
  const remarks = (count: number) =>
    Array.from({ length: count }, () => refused.remark("Wrong")).filter((one) => one !== undefined);
  assertEquals(remarks(100), Array(REFUSALS_NOTED).fill("Wrong"));
  clock.ms = 3_599_999;
  assertEquals(remarks(1), []);
  clock.ms = 3_600_000;
  assertEquals(remarks(2), ["Wrong; 81 more were not noted before", "Wrong"]);
});
