import { assertEquals } from "@std/assert";
import type { OutputLimitField } from "../../domain/catalog/catalog.ts";
import { withinLimit, withLimitField } from "./output_limit.ts";

const edit = (value: unknown, limit: number) =>
  JSON.parse(withinLimit(JSON.stringify(value), limit));
const thinking = (budget_tokens: number) => ({ type: "enabled", budget_tokens });

Deno.test("withinLimit() takes Claude's sum of answer and thoughts back to the limit", () => {
  assertEquals(edit({ max_tokens: 5_000, thinking: thinking(1_024) }, 4_000), {
    max_tokens: 4_000,
    thinking: thinking(1_024),
  });
  assertEquals(edit({ max_tokens: 9_000, thinking: thinking(5_000) }, 4_000), {
    max_tokens: 4_000,
    thinking: thinking(2_000),
  });
  assertEquals(edit({ max_tokens: 2_024, thinking: thinking(1_024) }, 1_000), {
    max_tokens: 1_000,
  });
  assertEquals(edit({ max_tokens: 50, thinking: { type: "adaptive" } }, 100), {
    max_tokens: 50,
    thinking: { type: "adaptive" },
  });
});

Deno.test("withinLimit() says where thoughts have no room", () => {
  let times = 0;
  const onNoRoom = () => times += 1;
  const think = (limit: number, fields: object) =>
    withinLimit(JSON.stringify({ thinking: thinking(5_000), ...fields }), limit, { onNoRoom });
  think(4_000, { max_tokens: 9_000 });
  think(1_000, { thinking: { type: "adaptive" } });
  assertEquals(times, 0);
  think(1_000, { max_tokens: 9_000 });
  think(1_000, {
    inferenceConfig: {},
    additionalModelRequestFields: { thinking: thinking(5_000) },
  });
  assertEquals(times, 2);
});

Deno.test("withinLimit() knows Converse's names too", () => {
  const body = {
    messages: [],
    inferenceConfig: { maxTokens: 9_000 },
    additionalModelRequestFields: { thinking: thinking(5_000), x: 1 },
  };
  assertEquals(edit(body, 4_000), {
    messages: [],
    inferenceConfig: { maxTokens: 4_000 },
    additionalModelRequestFields: { thinking: thinking(2_000), x: 1 },
  });
  assertEquals(edit({ inferenceConfig: { maxTokens: 1 } }, 10), {
    inferenceConfig: { maxTokens: 1 },
  });
  assertEquals(withinLimit("no JSON", 10), "no JSON");
});

Deno.test("withLimitField() moves a limit to the field that the model takes", () => {
  const moved = (body: object, field: OutputLimitField = "max_completion_tokens") =>
    JSON.parse(withLimitField(JSON.stringify(body), field));
  const taken = { model: "m", max_completion_tokens: 7 };
  for (const body of [{ model: "m", max_tokens: 7 }, taken]) assertEquals(moved(body), taken);
  assertEquals(moved(taken, "max_tokens"), { model: "m", max_tokens: 7 });
  const written = '{ "model": "m" }';
  assertEquals(withLimitField(written, "max_tokens"), written);
});
