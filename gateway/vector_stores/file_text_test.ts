import { assert, assertEquals } from "@std/assert";
import type { VectorStoreFile } from "../ports/vector_stores.ts";
import { readText } from "./file_text.ts";
import { splitPassages } from "./split_passages.ts";

function fileOf(passages: number): VectorStoreFile {
  const name = { id: "file_a", storeId: "vs_a", filename: "a.txt", mediaType: "text/plain" };
  return { ...name, passages, sizeBytes: 1, textBytes: 1, createdAtMs: 1, attributes: {} };
}

/** A store of one file, in batches of three passages. */
function storeOf(passages: readonly string[]) {
  return {
    async *passages(_file: unknown, from = 0) {
      for (let at = from; at < passages.length; at += 3) {
        yield await Promise.resolve(passages.slice(at, at + 3));
      }
    },
  };
}

async function partsOf(passages: readonly string[], maxChars?: number): Promise<string[]> {
  const parts: string[] = [];
  for (let from: number | undefined = 0; from !== undefined;) {
    const file = fileOf(passages.length);
    const part = await readText(storeOf(passages), file, { from, maxChars });
    assert(part !== undefined);
    parts.push(part.text);
    from = part.next;
  }
  return parts;
}

Deno.test("the parts of a file joined are its text, and none is longer than it may be", async () => {
  const text = Array.from({ length: 4_000 }, (_, at) => `Line ${at % 90} of the log.`).join("\n");
  const passages = splitPassages(text);
  assertEquals(await partsOf(passages), [text]);
  for (const maxChars of [3_200, 5_000, 40_000]) {
    const parts = await partsOf(passages, maxChars);
    assert(parts.length > 1);
    assert(parts.every(({ length }) => length <= maxChars));
    assertEquals(parts.join(""), text);
  }
  // Each part has a passage, however long.
  const each = await partsOf(passages, 1);
  assertEquals([each.length, each.join("")], [passages.length, text]);
});

Deno.test("passages that repeat nothing stay apart; a file without text has none", async () => {
  assertEquals(await partsOf(["red", "green"]), ["red\ngreen"]);
  assertEquals(await partsOf([]), [""]);
  assertEquals(await readText(storeOf(["red"]), fileOf(1), { from: 5 }), { text: "" });
});

Deno.test("a file that is removed while it is read gives no text, rather than a part as the whole", async () => {
  assertEquals(await readText(storeOf(["red"]), fileOf(2), { from: 0 }), undefined);
  assertEquals(await readText(storeOf([]), fileOf(2), { from: 1 }), undefined);
});
