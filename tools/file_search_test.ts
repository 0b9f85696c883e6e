import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fileSearch } from "./file_search.ts";
import { lazyWorkspace } from "./sandbox/lazy_workspace.ts";
import { call, refusal, scratch } from "./sandbox/scratch_test.ts";
import { Walk } from "./sandbox/walk.ts";

const FILES = {
  "readme.md": "Hello\nworld",
  "src/a.ts": "// hello\nconst a = 1;",
  "src/deep/b.tsx": "hello hello",
  "dist/out.js": "hello",
  "node_modules/x/index.js": "hello",
  ".gitignore": "dist/\n*.log\n!keep.log\n",
  "src/.ignore": "deep/*.tsx\n",
  "a.log": "hello",
  "src/keep.log": "hello",
  ".env": "hello",
  "binary": "hello\0",
};

async function paths(lab: { workspace: string }, input: object): Promise<string[]> {
  const { files, matches } = Object(await call(fileSearch(lab), input));
  return (files ?? matches).map((match: string | { path: string }) =>
    typeof match === "string" ? match : match.path
  );
}

Deno.test("file_search finds lines, without regard to case by default", async () => {
  await using lab = await scratch(FILES);
  assertEquals(await call(fileSearch(lab), { query: "hello" }), {
    matches: [
      { path: "readme.md", line: 1, text: "Hello" },
      { path: "src/a.ts", line: 1, text: "// hello" },
      { path: "src/keep.log", line: 1, text: "hello" },
    ],
    truncated: false,
  });
  assertEquals(await paths(lab, { query: "Hello", case_sensitive: true }), ["readme.md"]);
  assertEquals(await paths(lab, { query: ".*" }), []);
});

Deno.test("file_search finds files by name", async () => {
  await using lab = await scratch({ ...FILES, "!odd": "", "#odd": "" });
  assertEquals(await paths(lab, { glob: "*.{ts,md}" }), ["readme.md", "src/a.ts"]);
  assertEquals(await paths(lab, { glob: "./src/*" }), ["src/.ignore", "src/a.ts", "src/keep.log"]);
  assertEquals(await paths(lab, { glob: "!odd" }), ["!odd"]);
  assertEquals(await paths(lab, { glob: "#odd" }), ["#odd"]);
  assertEquals(await paths(lab, { glob: "**/*.ts", query: "const" }), ["src/a.ts"]);
  assertEquals(await paths(lab, { glob: "*.env" }), []);
});

Deno.test("file_search searches ignored files only on request", async () => {
  await using lab = await scratch(FILES);
  const all = { query: "hello", include_ignored: true };
  assertEquals((await paths(lab, all)).length, 6);
  assertEquals(await paths(lab, { path: "src", query: "hello" }), ["src/a.ts", "src/keep.log"]);
  assertEquals(await paths(lab, { path: "src/deep", query: "hello" }), []);
  assertEquals(await paths(lab, { ...all, path: "src/deep" }), ["src/deep/b.tsx"]);
});

Deno.test("file_search follows no links", async () => {
  await using lab = await scratch({ "a.txt": "outside" });
  await Deno.symlink("..", lab.at("up"));
  await Deno.symlink(".", lab.at("loop"));
  await Deno.symlink("../outside.txt", lab.at("file"));
  assertEquals(await paths(lab, { query: "outside" }), ["a.txt"]);
  await refusal(fileSearch(lab), { path: "up", query: "outside" }, "outside_workspace");
});

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

Deno.test("file_search asks for something to look for that can be found in time", async () => {
  await using lab = await scratch();
  await refusal(fileSearch(lab), {}, "invalid_tool_arguments");
  await refusal(fileSearch(lab), { query: "a\nb" }, "invalid_tool_arguments");
  await refusal(fileSearch(lab), { glob: "**/a/**/b/**/c" }, "invalid_glob");
  await refusal(fileSearch(lab), { glob: "*".repeat(300) }, "invalid_glob");
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

Deno.test("a file too large to be searched is named: it may hold a match", async () => {
  await using lab = await scratch({ "a.txt": "needle", "big/a.log": "needle" });
  await Deno.truncate(lab.at("big/a.log"), 5 * 1024 * 1024);
  const search = fileSearch(lab);
  const matches = [{ path: "a.txt", line: 1, text: "needle" }];
  assertEquals<unknown>(await call(search, { query: "needle" }), {
    ...{ matches, truncated: false, too_large: ["big/a.log"] },
  });
  // Not looked at, or not asked about their text.
  assertEquals<unknown>(await call(search, { query: "needle", glob: "*.txt" }), {
    ...{ matches, truncated: false },
  });
  assertEquals<unknown>(await call(search, { glob: "*.log" }), {
    ...{ files: ["big/a.log"], truncated: false },
  });
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
