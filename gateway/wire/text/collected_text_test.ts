import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ChatChunkRelay } from "../chat/chunk_relay.ts";
import { CollectedText } from "./collected_text.ts";

Deno.test("CollectedText returns its input, halves of surrogate pairs included", () => {
  const pieces = fc.array(
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud83d", "\ude00")),
    {
      maxLength: 600,
      size: "max",
    },
  );
  fc.assert(
    fc.property(pieces, fc.constantFrom(1, 1000), (texts, kept) => {
      const gathered = new CollectedText();
      for (const text of texts) gathered.push(text, kept);
      assertEquals(gathered.text(), texts.join(""));
      assert(gathered.pieces().every((piece) => piece !== ""));
    }),
    { numRuns: 30 },
  );
});

Deno.test("CollectedText keeps few pieces, and few of the texts that they are slices of", () => {
  const gathered = new CollectedText();
  for (let count = 0; count < 100_000; count++) {
    gathered.push("some words of a model");
    if (count % 1000 === 0) assert(gathered.pieces().length <= 256);
  }
  assertEquals(gathered.text().length, 2_100_000);
  const wide = new CollectedText();
  for (let count = 0; count < 100; count++) {
    wide.push("some words of a model", 32 * 1024);
    assert(wide.pieces().length <= 3);
  }
});

Deno.test("a stream keeps few of its chunks alive, for any length and content", () => {
  const text = (delta: unknown) =>
    JSON.stringify({ id: "c", model: "up", created: 1, choices: [{ index: 0, delta }] });
  const words = (at: number) => `words that are no copy ${at}`;
  const kinds: ((at: number) => unknown)[] = [
    (at) => ({ content: words(at) }),
    (at) => ({ reasoning_content: words(at) }),
    (at) => ({ tool_calls: [{ index: 0, function: { arguments: words(at) } }] }),
  ];
  for (const kind of kinds) {
    const relay = new ChatChunkRelay("m");
    for (let at = 0; at < 20_000; at++) relay.accept(text(kind(at)));
    // What is not in the first piece, which are bytes until somebody asks, may be a slice of a chunk.
    assert(relay.delivered.length <= 256);
    assert(relay.delivered.join("").endsWith(words(19_999)));
  }
});
