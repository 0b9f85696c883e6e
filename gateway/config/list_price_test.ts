import { assert, assertEquals } from "@std/assert";
import { listPrice, PRICE_LIST } from "./list_price.ts";

const NOON = Date.UTC(2026, 0, 15, 12);

Deno.test("listPrice() knows a provider by name or by address", async () => {
  const byName = await listPrice("gpt-5-mini", { providerId: "openai", nowMs: NOON });
  const baseUrl = "https://api.openai.com/v1";
  assertEquals(await listPrice("gpt-5-mini", { baseUrl, nowMs: NOON }), byName);
  assertEquals(byName, {
    entry: "openai/gpt-5-mini",
    deprecated: false,
    price: {
      inputPerMTok: "0.25",
      cachedInputPerMTok: "0.025",
      outputPerMTok: "2",
      currency: "USD",
    },
    contextTokens: 400_000,
  });
});

Deno.test("listPrice() knows what writing into the cache costs", async () => {
  const source = { providerId: "anthropic", nowMs: NOON };
  const { price } = await listPrice("claude-sonnet-4-5", source) ?? {};
  assertEquals([price?.inputPerMTok, price?.cachedInputPerMTok], ["3", "0.3"]);
  assertEquals(price?.cacheWriteInputPerMTok, "3.75");
});

Deno.test("listPrice() does not guess", async () => {
  assertEquals(await listPrice("gpt-5-mini", { nowMs: NOON }), undefined);
  const local = { baseUrl: "http://127.0.0.1:11434/v1", nowMs: NOON };
  assertEquals(await listPrice("gpt-5-mini", local), undefined);
  assertEquals(await listPrice("no-such-model", { providerId: "openai", nowMs: NOON }), undefined);
  assertEquals(await listPrice("x", { providerId: "no-such-one", nowMs: NOON }), undefined);
});

Deno.test("listPrice() takes the dearest hour, whenever it is asked", async () => {
  const source = { providerId: "deepseek" };
  const hours = [0, 6, 12, 18].map((hour) => NOON + hour * 3_600_000);
  const listed = await Promise.all(
    hours.map((nowMs) => listPrice("deepseek-chat", { ...source, nowMs })),
  );
  assert(listed[0] !== undefined);
  for (const one of listed) assertEquals(one, listed[0]);
});

Deno.test("listPrice() charges a model that draws for what it draws and sees", async () => {
  const source = { providerId: "openai", nowMs: NOON };
  const { price } = await listPrice("gpt-image-1.5", source) ?? {};
  assertEquals([price?.outputPerMTok, price?.imageInputPerMTok], ["32", "8"]);
});

Deno.test("listPrice() names the models that are about to be discontinued", async () => {
  const source = { providerId: "x-ai", nowMs: NOON };
  assertEquals((await listPrice("grok-2-1212", source))?.deprecated, true);
});

Deno.test("PRICE_LIST is the edition that the workspace pins", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile("deno.json"));
  assertEquals(imports[PRICE_LIST.name], `npm:${PRICE_LIST.name}@${PRICE_LIST.version}`);
});
