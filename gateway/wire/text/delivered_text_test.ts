import {
  assert,
  assertEquals,
  assertGreaterOrEqual,
  assertLess,
  assertLessOrEqual,
} from "@std/assert";
import fc from "fast-check";
import { createTokenCounter } from "../../tokens/token_counter.ts";
import { ChatChunkRelay } from "../chat/chunk_relay.ts";
import { DeliveredText } from "./delivered_text.ts";
import { NativeResponseRelay } from "../responses/native.ts";

const PARTS = [
  " word",
  "camelCase",
  "1234567",
  " ".repeat(300),
  "中文",
  "\n\n",
  "don't",
  "=".repeat(99),
  "é",
];

Deno.test("the stored text is all that was delivered, until its hold is used up", async () => {
  const { count } = createTokenCounter();
  const texts = fc.array(fc.constantFrom(...PARTS), {
    minLength: 1,
    maxLength: 3_000,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 400 }), async (pieces, maxTokens) => {
      const text = new DeliveredText(maxTokens);
      let sent = "";
      for (const piece of pieces) {
        if (text.usedUpBy !== undefined) break;
        text.push(piece);
        sent += piece;
      }
      if (text.usedUpBy === undefined) return assertEquals(text.pieces().join(""), sent);
      assertGreaterOrEqual(text.usedUpBy, maxTokens);
      // Pieces of the count are cut elsewhere, which it is exact to a percent with.
      assertLessOrEqual(text.usedUpBy, await count(sent) * 1.01 + 1);
      assertEquals(text.pieces(), []);
    }),
    { numRuns: 40 },
  );
});

Deno.test("no stream keeps more text than its hold pays for, for any content", () => {
  const chunk = (content: string) =>
    JSON.stringify({
      id: "c",
      model: "up",
      created: 1,
      choices: [{ index: 0, delta: { content } }],
    });
  const delta = (text: string) =>
    JSON.stringify({ type: "response.output_text.delta", sequence_number: 1, delta: text });
  const context = {
    ...{ id: "resp_1", model: "m", createdSeconds: 1, opening: { request_id: "req_1" } },
    dialect: "service" as const,
    ...{ request: { model: "auto", input: "" }, newId: (prefix: string) => prefix },
  };
  for (const piece of [" word".repeat(40), " ".repeat(200), "中".repeat(200), "a".repeat(200)]) {
    const chat = new ChatChunkRelay("m", { maxTokens: 1_000 });
    const native = new NativeResponseRelay(context, 1_000);
    let most = 0;
    for (let at = 0; at < 5_000; at++) {
      chat.accept(chunk(piece));
      native.accept(delta(piece));
      most = Math.max(most, chat.deliveredChars, native.deliveredChars);
    }
    // No token is longer than 128 characters; what is looked at at once comes on top.
    assertLess(most, 1_000 * 128 + 70 * 1024);
    assertEquals([chat.deliveredChars, native.deliveredChars], [0, 0]);
    assert(chat.usedUpBy !== undefined && native.usedUpBy !== undefined);
    assertEquals([chat.delivered, native.delivered], [[], []]);
  }
});

Deno.test("text after the end of a delivery is not stored", () => {
  const text = new DeliveredText(10);
  text.push("one");
  text.end();
  text.push(" two".repeat(100_000));
  assertEquals([text.pieces(), text.length, text.usedUpBy], [["one"], 3, undefined]);
});
