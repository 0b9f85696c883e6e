import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { DataError, filesIn, limitSet, parseSet, pooled, readSet, withModels } from "./data.ts";
import { gzipped, syntheticSet, textOf } from "./synthetic_fixture_test.ts";

const HEADER = '{"name":"tiny","models":["a","b"]}';
const LINE = '{"q":"one","cat":"x","y":[1,0],"c":[1,2]}';

Deno.test("a set is read from gzipped JSON lines", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const set = syntheticSet(8);
    await Deno.writeFile(`${folder}/tiny.jsonl.gz`, await gzipped(textOf(set)));
    await Deno.writeTextFile(`${folder}/README.md`, "no set");
    const files = await filesIn(folder);
    assertEquals(files, [`${folder}/tiny.jsonl.gz`]);
    assertEquals(await readSet(files[0] ?? ""), set);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an absent folder holds no sets", async () => {
  assertEquals(await filesIn("/nonexistent/routing-data"), []);
});

Deno.test("a file that is cut is refused by name", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/cut.jsonl.gz`;
    const bytes = await gzipped(textOf(syntheticSet(40)));
    await Deno.writeFile(path, bytes.slice(0, bytes.length - 20));
    const error = await assertRejects(() => readSet(path), DataError);
    assertStringIncludes(error.message, path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const MALFORMED: readonly (readonly [lines: readonly string[], message: string])[] = [
  [[], "f: has no header"],
  [[HEADER, LINE], "f: has fewer than 4 questions"],
  [["[]"], "f:1: is not an object"],
  [['{"models":["a","b"]}'], 'f:1: "name" is not a text'],
  [['{"name":"x","models":["a"]}'], 'f:1: "models" is not a list'],
  [['{"name":"x","models":["a","a"]}'], 'f:1: "models" is not a list'],
  [['{"name":"x","models":["a","b"],"quality":[2,0]}'], 'f:1: "quality" is not a list of 2'],
  [['{"name":"x","models":["a","b"],"pair":["a","c"]}'], 'f:1: "pair" does not name two'],
  [[HEADER, LINE, "{"], "f:3: is not JSON"],
  [[HEADER, '{"cat":"x","y":[1,0],"c":[1,2]}'], 'f:2: "q" is not a text'],
  [[HEADER, '{"q":"x","y":[1,0],"c":[1,2]}'], 'f:2: "cat" is not a text'],
  [[HEADER, '{"q":"x","cat":"x","y":[1],"c":[1,2]}'], 'f:2: "y" is not a list of 2 numbers'],
  [[HEADER, '{"q":"x","cat":"x","y":[1,3],"c":[1,2]}'], 'f:2: "y" is not a list of 2 numbers'],
  [[HEADER, '{"q":"x","cat":"x","y":[1,0],"c":[1,-2]}'], 'f:2: "c" is not a list of 2 costs'],
  [[HEADER, '{"q":"x","cat":"x","y":[1,0],"c":[1,2],"a":[1,2]}'], 'f:2: "a" is not a list of 2'],
];

for (const [lines, message] of MALFORMED) {
  Deno.test(`malformed data is refused: ${message}`, () => {
    const error = assertThrows(() => parseSet(lines.join("\n"), "f"), DataError);
    assertStringIncludes(error.message, message);
  });
}

Deno.test("a set is limited to questions of a random order, which stay in their own", () => {
  const set = syntheticSet(8);
  const limited = limitSet(set, [7, 0, 3, 1, 2, 4, 5, 6], 3);
  const expected = [0, 3, 7].map((at) => set.questions[at]);
  assertEquals<unknown>(limited.questions, expected);
  assert(limitSet(set, [], 8) === set);
});

Deno.test("a set with fewer models keeps their columns", () => {
  const set = { ...syntheticSet(8), quality: [0.1, 0.2, 0.3, 0.4] };
  const [first, , third] = set.models;
  const some = withModels(set, [third ?? "", first ?? ""]);
  assertEquals(some.quality, [0.3, 0.1]);
  assertEquals(some.questions[0]?.c, [set.questions[0]?.c[2] ?? 0, set.questions[0]?.c[0] ?? 0]);
});

Deno.test("sets of the same models are pooled", () => {
  const one = syntheticSet(8);
  const other = { ...syntheticSet(4), name: "other" };
  const alone = { ...syntheticSet(4), name: "alone", models: ["x", "y", "z", "w"] };
  const [pool, ...more] = pooled([one, other, alone]);
  assertEquals(pool?.name, `${one.name}+other`);
  assertEquals(pool?.questions.length, 12);
  assertEquals(more, []);
});
