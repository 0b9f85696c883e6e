import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fileSearch } from "./file_search.ts";
import { lazyWorkspace } from "./sandbox/lazy_workspace.ts";
import { call, scratch } from "./sandbox/scratch_test.ts";
import { Walk } from "./sandbox/walk.ts";

async function paths(lab: { workspace: string }, input: object): Promise<string[]> {
  const { files, matches } = Object(await call(fileSearch(lab), input));
  return (files ?? matches).map((match: string | { path: string }) =>
    typeof match === "string" ? match : match.path
  );
}

Deno.test("file_search stops at the number of results, and shows a part of a long line", async () => {
  await using lab = await scratch({
    "a.txt": "x\n".repeat(200),
    "b.txt": "-".repeat(500) + "needle" + "-".repeat(500),
  });
  const search = async (input: object) => Object(await call(fileSearch(lab), input));
  const few = await search({ query: "x", max_results: 7 });
  assertEquals([few.matches.length, few.truncated], [7, true]);
  const { matches: [{ text }] } = await search({ query: "needle" });
  assert(text.includes("needle") && text.length === 300);
  const { files, truncated } = await search({ glob: "*", max_results: 1 });
  assertEquals([files, truncated], [["a.txt"], true]);
});

Deno.test("file_search passes over what is too large or too deep", async () => {
  await using lab = await scratch({
    "large.txt": "needle" + "x".repeat(4 * 1024 * 1024),
    [`${"d/".repeat(45)}deep.txt`]: "needle",
    "near.txt": "needle",
  });
  const { matches, truncated } = Object(await call(fileSearch(lab), { query: "needle" }));
  assertEquals(matches.map(({ path }: { path: string }) => path), ["near.txt"]);
  assertEquals(truncated, true);
});

Deno.test("file_search is not kept busy by an ignore file", async () => {
  const rules = `${"**/d/".repeat(12)}x\n`.repeat(200) + `${"**/d/".repeat(2)}x\n`.repeat(200);
  await using lab = await scratch({ ".gitignore": rules, [`${"d/".repeat(30)}a.txt`]: "needle" });
  assertEquals((await paths(lab, { query: "needle" })).length, 1);
});

Deno.test("file_search ends when it is not wanted any more", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  const signal = AbortSignal.abort(new Error("Enough"));
  await assertRejects(() => call(fileSearch(lab), { query: "a" }, signal), Error, "Enough");
});

Deno.test("a search that runs out of time returns its matches so far, and says so", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 90 }, (_, n) => [`d${n % 3}/${n}.txt`, "a"]),
  );
  await using lab = await scratch(files);
  for (const input of [{ query: "a" }, { glob: "*" }]) {
    for (const reason of [undefined, new DOMException("Late", "TimeoutError")]) {
      const tool = fileSearch({ ...lab, timeoutMs: reason === undefined ? 1e-9 : 10_000 });
      const signal = reason === undefined ? undefined : AbortSignal.abort(reason);
      const { truncated, partial, ...rest } = Object(await call(tool, input, signal));
      assertEquals([truncated, partial], [true, true]);
      assertEquals(Object.values(rest), [[]]);
    }
  }
  const controller = new AbortController();
  const workspace = await lazyWorkspace(lab)();
  const walk = new Walk(workspace, {
    ...{ parts: [], includeIgnored: false, isWanted: () => true, maxEntries: 1_000 },
    ...{ timeoutMs: 10_000, signal: controller.signal },
  });
  const seen: string[] = [];
  await walk.visit(({ files }) => {
    seen.push(...files.map(({ path }) => path));
    controller.abort(new DOMException("Late", "TimeoutError"));
    return Promise.resolve(true);
  });
  assertEquals([seen.length, walk.isOutOfTime, walk.isComplete], [16, true, false]);
});

Deno.test("the run's time limit is longer than the search's own limit", () => {
  assertEquals(fileSearch().timeoutMs, 40_000);
  assertEquals(fileSearch({ timeoutMs: 500 }).timeoutMs, 10_500);
  assertThrows(() => fileSearch({ timeoutMs: 0 }), RangeError, "timeoutMs 0");
});

Deno.test("matches are in the order of names, for any order of reading", async () => {
  const names = Array.from({ length: 50 }, (_, n) => `${String(n).padStart(2, "0")}.txt`);
  const sizes = names.map((name, n) => [name, `${"-\n".repeat((50 - n) * 200)}needle`]);
  await using lab = await scratch({ ...Object.fromEntries(sizes), "25/in.txt": "needle" });
  const expected = [...names, "25/in.txt"].sort((one, other) => one < other ? -1 : 1);
  assertEquals(await paths(lab, { query: "needle" }), expected.sort(byFolder));
});

/** A folder stands where its name does, with all that is in it. */
function byFolder(one: string, other: string): number {
  const [first = "", second = ""] = [one, other].map((path) => path.split("/")[0]);
  return first < second ? -1 : 1;
}
