import { assert, assertEquals } from "@std/assert";
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { chatFeatures, type RequestFeatures } from "./features.ts";
import {
  estimateInputTokens,
  likelyInputTokens,
  modelFamily,
  typicalTokens,
} from "./token_estimate.ts";

function featuresOf(content: string): RequestFeatures {
  return chatFeatures({ model: "auto", messages: [{ role: "user", content }] });
}

/** Deterministic text of the given letters. */
function randomText(letters: string, length: number): string {
  let state = 12_345;
  let text = "";
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += letters[Math.floor(state / 2 ** 32 * letters.length)] ?? "";
  }
  return text;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("");

const KINDS: Readonly<Record<string, string>> = {
  english: ("The gateway picks the model, survives provider failures, and bills exactly what was " +
    "used: no more, no less, under crashes and disconnects. ").repeat(40),
  code: estimateInputTokens.toString().repeat(4) + chatFeatures.toString().repeat(4),
  json: JSON.stringify(
    Array.from({ length: 60 }, (_, id) => ({ id, name: `user${id}`, ok: true })),
  ),
  base64: randomText(BASE64, 6_000),
  "base64 in lines": randomText(BASE64, 6_000).replace(/.{76}/g, "$&\n"),
  hexadecimal: randomText("0123456789abcdef", 4_000),
  digits: randomText("0123456789 ", 4_000),
  punctuation: randomText("!@#$%^&*()[]{};:,.<>?/|~`", 2_000),
  spaces: " ".repeat(3_000),
  chinese:
    "模型网关把每一个请求按照策略、等级、余额和可用性路由到最合适的模型，并且只按实际用量计费。"
      .repeat(20),
  "rare chinese": "龘靐齉爩麤灪鱻饕餮魑魅魍魉耄耋龃龉羸弱踟蹰".repeat(10),
  japanese: "東京都では明日の朝から雨が降る見込みです。データベースの設計について説明してください。"
    .repeat(10),
  emoji: "😀🎉👍🏽👩‍👩‍👧‍👦🇨🇳❤️🔥✨🤖🧑🏿‍💻🏴‍☠️".repeat(20),
  russian: "Объясните, пожалуйста, как работает распределённая система хранения данных.".repeat(10),
  arabic: "اشرح لي كيف يعمل نظام تخزين البيانات الموزع بالتفصيل".repeat(10),
  amharic: "የአማርኛ ቋንቋ ጽሑፍ ምሳሌ".repeat(10),
};

for (const [kind, text] of Object.entries(KINDS)) {
  Deno.test(`estimateInputTokens() bounds ${kind}`, () => {
    const features = featuresOf(text);
    const newer = estimateInputTokens(features, modelFamily("gpt-5"));
    const older = estimateInputTokens(features, modelFamily("gpt-4"));
    assert(newer >= encodeO200k(text).length, `${newer} < ${encodeO200k(text).length}`);
    assert(older >= encodeCl100k(text).length, `${older} < ${encodeCl100k(text).length}`);
  });
}

Deno.test("estimateInputTokens() does not hold several times the truth for common text", () => {
  for (
    const [kind, most] of [["english", 2.2], ["code", 2.2], ["base64", 1.5], [
      "chinese",
      3,
    ]] as const
  ) {
    const text = KINDS[kind] ?? "";
    const bound = estimateInputTokens(featuresOf(text), modelFamily("gpt-5"));
    assert(bound < most * encodeO200k(text).length, `${kind}: ${bound}`);
  }
});

Deno.test("estimateInputTokens() is exceeded by random ASCII by a third at most", () => {
  const text = randomText(PRINTABLE, 4_000);
  const bound = estimateInputTokens(featuresOf(text), modelFamily("gpt-5"));
  assert(bound > 0.75 * encodeO200k(text).length, `${bound}`);
});

Deno.test("likelyInputTokens() is near the truth for prose", () => {
  for (const kind of ["english", "code", "chinese"]) {
    const text = KINDS[kind] ?? "";
    const ratio = likelyInputTokens(featuresOf(text)) / encodeO200k(text).length;
    assert(ratio > 0.8 && ratio < 1.6, `${kind}: ${ratio}`);
  }
});

Deno.test("modelFamily() goes by the upstream's name", () => {
  const families = {
    "gpt-5-mini": "gpt",
    "openai/gpt-4o-mini": "gpt",
    "gpt-4-turbo": "gpt",
    "o3-mini": "gpt",
    "openai/o4-mini": "gpt",
    "sim-small": "gpt",
    "anthropic/claude-sonnet-4.5": "claude",
    "gemini-2.5-flash": "gemini",
    "Meta-Llama-3.3-70B": "open",
    "qwen/qwen3-max": "open",
    "deepseek-chat": "open",
    "house-special": "other",
  };
  for (const [name, family] of Object.entries(families)) {
    assertEquals(modelFamily(name).name, family);
  }
  assert(modelFamily("gpt-4").beyondAscii > modelFamily("gpt-4.1").beyondAscii);
});

Deno.test("estimateInputTokens() adds images, tools and frames", () => {
  const base = featuresOf("");
  const family = modelFamily("gpt-5");
  const plain = estimateInputTokens(base, family);
  assertEquals(plain, 28);
  assertEquals(estimateInputTokens({ ...base, images: 2 }, family), plain + 5_200);
  assertEquals(estimateInputTokens({ ...base, needs: ["tools"] }, family), plain + 600);
  assertEquals(estimateInputTokens({ ...base, framedItems: 3 }, family), plain + 24);
});

Deno.test("estimateInputTokens() counts unclassified text as dense", () => {
  const { denseChars: _, ...features } = featuresOf("a ".repeat(500));
  assertEquals(estimateInputTokens(features, modelFamily("gpt-5")), 828);
});

Deno.test("typicalTokens() expects what is usual, and no more than was asked for", () => {
  const features = chatFeatures({ model: "auto", messages: [{ role: "user", content: "Hi" }] });
  const free = typicalTokens(features);
  assertEquals(free.inputTokens, likelyInputTokens(features));
  assert(free.outputTokens >= 300 && free.outputTokens <= 1_500);
  assertEquals(typicalTokens({ ...features, requestedOutputTokens: 20 }).outputTokens, 20);
  assertEquals(
    typicalTokens({ ...features, requestedOutputTokens: 20, choices: 3 }).outputTokens,
    60,
  );
  const drawn = { ...features, endpoint: "images.generations", choices: 2 } as const;
  assertEquals(typicalTokens(drawn).outputTokens, 2_000);
});
