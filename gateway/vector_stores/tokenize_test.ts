import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { tokenize } from "./tokenize.ts";

const same = (word: string) => word;

Deno.test("words are folded and kept as often as they occur; words that say nothing are not", () => {
  assertEquals(tokenize("The Café, the CAFE & the ﬁsh-shop: №7", same), [
    "cafe",
    "cafe",
    "fish",
    "shop",
    "no7",
  ]);
  assertEquals(tokenize("running", () => "run"), ["run"]);
  assertEquals(tokenize("Straße grün", () => "stemmed"), ["straße", "stemmed"]);
});

Deno.test("East Asian text becomes characters and pairs; particles stand in pairs only", () => {
  assertEquals(tokenize("灯塔的光", same), ["灯", "灯塔", "塔", "塔的", "的光", "光"]);
  assertEquals(tokenize("ＡＰＩ密钥", same), ["api", "密", "密钥", "钥"]);
  assertEquals(tokenize("한국어 かな カナ", same).length > 5, true);
});

Deno.test("a text that is too long for a word is left out", () => {
  assertEquals(tokenize(`${"A".repeat(100)} end`, same), ["end"]);
  assertEquals(tokenize("... --- !?", same), []);
});

Deno.test("text without anything to fold has the same words on the short way", () => {
  fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), (text) => {
    const [last, ...others] = tokenize(`${text} 灯`, same).reverse();
    assertEquals([last, others.reverse()], ["灯", tokenize(text, same)]);
  }));
});
