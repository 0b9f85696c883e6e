import { assert, assertEquals, assertGreaterOrEqual, assertLess, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createTokenCounter, piecesOf } from "./token_counter.ts";

const counter = createTokenCounter();

const ENGLISH = "The gateway picks the model, survives provider failures, and bills exactly what " +
  "was used: no more, no less, under crashes and disconnects. Applications hold one key.\n\n";
const CHINESE = "网关选择模型，承受提供商的故障，并准确地按实际用量计费。应用程序只持有一个密钥，" +
  "从不依赖提供商的名称或价目表。运营者决定谁可以使用什么、费用多少以及在哪里运行。";
const RUSSIAN = "Шлюз выбирает модель, переживает сбои поставщиков и выставляет счёт ровно за то, ";
const CODE = "export function chargeOf(usage: Usage, price: FrozenPrice): Micros {\n" +
  "  const fresh = BigInt(usage.inputTokens - usage.cachedInputTokens);\n  return fresh;\n}\n";
const JSON_TEXT = '{"id": "fast-mini", "price": {"input": "0.25", "tags": ["tools", "vision"]}},';

Deno.test("ordinary text counts within 2 % of the whole text", async () => {
  for (const text of [ENGLISH, CHINESE, RUSSIAN, CODE, JSON_TEXT]) {
    const long = text.repeat(60);
    const exact = countTokens(long);
    const counted = await counter.count(long);
    assert(Math.abs(counted - exact) <= exact * 0.02, `${counted} for ${exact}: ${text}`);
  }
});

Deno.test("short text counts exactly", async () => {
  assertEquals(await counter.count(""), 0);
  for (const text of ["hello world", "你好", "\ud83d", ENGLISH]) {
    assertEquals(await counter.count(text), countTokens(text));
  }
});

Deno.test("text that looks like a special token is text", async () => {
  assertEquals(await counter.count("<|endoftext|>"), 7);
});

Deno.test("runs without breaks are cut, so that each piece is quick", async () => {
  for (const letter of ["a", " ", "\n", "!", "字", "😀", "\u0301"]) {
    const text = letter.repeat(20_000);
    assert([...piecesOf(text)].every((piece) => piece.length <= 192 && piece.length > 0));
    const tokens = await counter.count(text);
    assert(tokens > 0 && tokens <= text.length * 2, `${tokens} tokens of "${letter}"`);
  }
});

Deno.test("very long text is inferred from a bounded number of pieces", async () => {
  const text = ENGLISH.repeat(13_000);
  const exact = 13_000 * countTokens(ENGLISH);
  assert([...piecesOf(text)].length > 2 * 4_096);
  assertLess(Math.abs(await counter.count(text) - exact), exact * 0.02);
});

Deno.test("others get their turn after each piece", async () => {
  const text = ENGLISH.repeat(100);
  let turns = 0;
  let counting = true;
  const others = (async () => {
    for (; counting; turns++) await setImmediate();
  })();
  await counter.count(text);
  counting = false;
  await others;
  assertGreaterOrEqual(turns, [...piecesOf(text)].length);
});

Deno.test("pieces of any text join to it and split no pair", () => {
  const unit = fc.constantFrom("a", " ", "字", "，", "😀", "\n", "7");
  fc.assert(fc.property(fc.string({ unit, maxLength: 2_000, size: "max" }), (text) => {
    const pieces = [...piecesOf(text)];
    assertEquals(pieces.join(""), text);
    assert(pieces.every((piece) => piece.length <= 192 && piece.isWellFormed()));
  }));
});

Deno.test("long texts that are made late are made one after the other, short ones at once", async () => {
  const counter = createTokenCounter();
  const made: number[] = [];
  const late = (name: number, text: string) =>
    counter.count({ chars: text.length, text: () => (made.push(name), text) });
  const ended: number[] = [];
  const long = " word".repeat(40_000);
  const counts = [1, 2, 3].map((name) => late(name, long).finally(() => ended.push(name)));
  const gone = () => {
    throw new Error("gone");
  };
  const failing = assertRejects(
    () => counter.count({ chars: Infinity, text: gone }),
    Error,
    "gone",
  );
  const short = late(4, " word");
  assertEquals(await short, 1);
  // The first was counted for a while, and no other was made meanwhile.
  assertEquals([made.includes(2), made.includes(3)], [false, false]);
  const [one] = await Promise.all(counts);
  assertEquals([ended, await counter.count(long)], [[1, 2, 3], one]);
  await failing;
});
