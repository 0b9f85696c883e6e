import { assertEquals, assertThrows } from "@std/assert";
import { fileRead } from "../file_read.ts";
import { sharedCases } from "../shared_cases_test.ts";
import { DEFAULT_FILE_DENY, denyList } from "./deny_list.ts";
import { ignoreRules } from "./ignore_rules.ts";

const CASES = sharedCases<{
  readonly default: readonly string[];
  /** Paths that the default list denies, here and in any folder. */
  readonly denied: readonly string[];
  readonly open: readonly string[];
}>("deny-list");

Deno.test("the default list names what holds secrets, wherever and however it is written", async () => {
  assertEquals(DEFAULT_FILE_DENY, CASES.default);
  const rules = await ignoreRules(denyList(DEFAULT_FILE_DENY), { isCaseSensitive: false });
  for (const path of CASES.denied) {
    assertEquals([rules.ignores(path), rules.ignores(`a/b/${path}`)], [true, true], path);
  }
  for (const path of CASES.open) {
    assertEquals([rules.ignores(path), rules.ignores(`a/b/${path}`)], [false, false], path);
  }
});

Deno.test("a pattern that would have to be left out is refused, not ignored", () => {
  const slow = Array.from({ length: 17 }, (_, n) => `**/a${n}/**`);
  const many = Array.from({ length: 1_001 }, (_, n) => `a${n}`);
  for (const fileDeny of [["**/private/**/keys/**"], slow, many]) {
    assertThrows(() => fileRead({ fileDeny }), TypeError, "Cannot deny the files");
  }
});
