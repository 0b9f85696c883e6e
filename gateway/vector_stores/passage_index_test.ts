import { assert, assertEquals } from "@std/assert";
import { PassageIndex } from "./passage_index.ts";

async function indexOf(...texts: string[]): Promise<PassageIndex> {
  const index = new PassageIndex();
  for (const [at, text] of texts.entries()) await index.add({ fileId: "file_a", index: at, text });
  return index;
}

async function passagesFor(index: PassageIndex, text: string, limit = 10): Promise<number[]> {
  return (await index.search(text, { limit })).map((hit) => hit.index);
}

Deno.test("a passage with more of the rarer words comes first, with the higher score", async () => {
  const index = await indexOf(
    "The keeper paints the door of the tower",
    "The keeper sounds the foghorn in the tower",
    "A foghorn, and another foghorn, and a third foghorn of the keeper",
    "Nothing of the kind",
  );
  assertEquals(await passagesFor(index, "foghorn"), [2, 1]);
  assertEquals(await passagesFor(index, "Who paints a door?"), [0]);
  const [best, second] = await index.search("tower foghorn", { limit: 10 });
  assertEquals(best?.index, 1);
  assert(best !== undefined && second !== undefined && best.score > second.score);
  assert(best.score <= 1 && second.score > 0);
});

Deno.test("English words are found in their other forms, never by their beginnings", async () => {
  const index = await indexOf("Tickets are refunded", "The refinery");
  assertEquals(await passagesFor(index, "refund a ticket"), [0]);
  assertEquals(await passagesFor(index, "ref"), []);
});

Deno.test("Chinese is found by a word, by one character and by a phrase", async () => {
  const index = await indexOf(
    "退款政策：参观前一天中午之前可以全额退款",
    "请不要触摸透镜，它非常脆弱",
  );
  assertEquals(await passagesFor(index, "退款"), [0]);
  assertEquals(await passagesFor(index, "镜"), [1]);
  assertEquals(await passagesFor(index, "怎么退款？"), [0]);
  assertEquals(await passagesFor(index, "潜水艇"), []);
});

Deno.test("a word that every object has is a word like any other", async () => {
  const index = await indexOf("The constructor calls toString", "valueOf and __proto__");
  assertEquals(await passagesFor(index, "constructor"), [0]);
  assertEquals(await passagesFor(index, "proto hasOwnProperty"), [1]);
  for (const { score } of await index.search("constructor toString", { limit: 9 })) {
    assert(score > 0 && score <= 1);
  }
});

Deno.test("an empty index, a query without words, and a limit", async () => {
  assertEquals(await passagesFor(new PassageIndex(), "anything"), []);
  const index = await indexOf(...Array.from({ length: 30 }, (_, at) => `sea number ${at}`));
  assertEquals(await passagesFor(index, "?!"), []);
  assertEquals((await passagesFor(index, "sea", 7)).length, 7);
});

Deno.test("passages of other files are left out before the limit counts", async () => {
  const index = new PassageIndex();
  for (let at = 0; at < 20; at++) await index.add({ fileId: "file_a", index: at, text: "sea" });
  await index.add({ fileId: "file_b", index: 0, text: "sea and a lot of other words" });
  const hits = await index.search("sea", { limit: 1, fileIds: new Set(["file_b"]) });
  assertEquals(hits.map(({ fileId }) => fileId), ["file_b"]);
});

function vectors(fileId: string, ...all: number[][]) {
  const dimensions = all[0]?.length ?? 0;
  const values = new Float32Array(all.flat());
  return { fileId, index: 0, passages: all.length, space: "a", dimensions, values };
}

Deno.test("a passage scores the mean of its words' score and of the cosine, at least 0", async () => {
  const index = await indexOf("red lamp", "green door", "blue sea");
  await index.add({ fileId: "file_b", index: 0, text: "red boat" });
  index.addVectors(vectors("file_a", [1, 0], [0.6, 0.8], [-1, 0]));
  const words = new Map(
    (await index.search("red", { limit: 9 })).map((
      hit,
    ) => [`${hit.fileId}/${hit.index}`, hit.score]),
  );
  const vector = { space: "a", values: new Float32Array([1, 0]) };
  const options = { limit: 9, vector };
  const hits = await index.search("red", options);
  const scores = new Map(hits.map((hit) => [`${hit.fileId}/${hit.index}`, hit.score]));
  const near = (one = NaN, other = NaN) => assert(Math.abs(one - other) < 1e-6, `${one} ${other}`);
  near(scores.get("file_a/0"), ((words.get("file_a/0") ?? NaN) + 1) / 2);
  near(scores.get("file_a/1"), 0.3);
  assertEquals(scores.has("file_a/2"), false);
  // Without a vector it scores by its words alone.
  near(scores.get("file_b/0"), words.get("file_b/0"));
  assertEquals(await index.search("red", options), hits);
  assertEquals((await index.search("red", { ...options, limit: 1 })).length, 1);
  const others = await index.search("?", { ...options, fileIds: new Set(["file_b"]) });
  assertEquals(others, []);
  assertEquals((await index.search("?", options)).map((hit) => hit.index), [0, 1]);
});

Deno.test("vectors of another space or length are not compared, and others may take their place", async () => {
  const index = await indexOf("red lamp", "green door");
  index.addVectors(vectors("file_a", [1, 0], [0, 1]));
  const search = (space: string, ...values: number[]) =>
    index.search("?", { limit: 9, vector: { space, values: new Float32Array(values) } });
  assertEquals((await search("a", 0, 1)).map((hit) => hit.index), [1]);
  assertEquals(await search("b", 0, 1), []);
  assertEquals(await search("a", 0, 1, 0), []);
  index.addVectors({ ...vectors("file_a", [0, 1]), passages: 2, space: "b" });
  index.addVectors({ ...vectors("file_a", [1, 0]), passages: 2, space: "b", index: 1 });
  assertEquals((await search("b", 0, 1)).map((hit) => hit.index), [0]);
  assertEquals(await search("a", 0, 1), []);
});
