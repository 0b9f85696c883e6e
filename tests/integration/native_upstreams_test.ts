/**
 * The service in front of providers that speak wires of their own, as an application sees it.
 *
 * @module
 */

import { readPairs } from "../fixtures/dialects.ts";
import { assert, assertEquals } from "@std/assert";
import {
  chunk,
  FakeUpstream,
  json,
  LAST_CHUNK,
  type Script,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { BEDROCK } from "../fixtures/upstreams/bedrock.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";
import { type Recorded, SIGNATURE, type Wire } from "../fixtures/upstreams/wire.ts";

const SIGNING: readonly (readonly [string, string, Wire])[] = [
  ["anthropic", "claude-sonnet-4-5", ANTHROPIC],
  ["google", "gemini-3-pro-preview", GOOGLE],
  ["amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", BEDROCK],
];

function script(wire: Wire, recorded: Recorded, stream: boolean): Script {
  if (!stream) return json(recorded.json);
  const head = streamHead({ "content-type": wire.streamType ?? "text/event-stream" });
  return [head, ...recorded.frames.map(chunk), LAST_CHUNK];
}

for (const [kind, upstreamModel, wire] of SIGNING) {
  for (const stream of [false, true]) {
    const how = stream ? ", streamed" : "";
    Deno.test(`runTools() of the openai client survives signatures of ${kind}${how}`, async () => {
      const { signed, text } = wire;
      assert(signed !== undefined);
      await using fake = new FakeUpstream();
      const more = { upstreamModel };
      const upstream = { kind, region: "eu-central-1" };
      const config = labConfig({ id: "native", baseUrl: fake.baseUrl, upstream, more });
      await using service = await TestService.start({ config });
      fake.answer(script(wire, signed, stream), script(wire, text, stream));

      const cities: string[] = [];
      const getWeather = (written: string) => {
        const { city } = JSON.parse(written);
        cities.push(city);
        return `Rain in ${city}`;
      };
      const tool = {
        type: "function" as const,
        function: {
          name: "get_weather",
          description: "Weather of a city",
          parameters: { type: "object", properties: { city: { type: "string" } } },
          function: getWeather,
        },
      };
      const params = {
        model: "auto",
        messages: [{ role: "user" as const, content: "Weather?" }],
        tools: [tool],
      };
      const { completions } = service.client().chat;
      const runner = stream
        ? completions.runTools({ ...params, stream: true })
        : completions.runTools(params);
      assertEquals(await runner.finalContent(), "Hello there");
      assertEquals(cities, ["Oslo", "Rome"]);
      const seen = wire.read(JSON.parse(fake.last.text));
      assertEquals(seen.signatures, [SIGNATURE]);
      assertEquals(seen.results, ["Rain in Oslo", "Rain in Rome"]);
      const record = await service.lastRequest();
      assertEquals([record.inputTokens, record.outputTokens, record.estimated], [12, 5, false]);
      await service.assertBooks();
    });
  }
}

Deno.test("an unsupported request of a provider is the caller's 400, named, and costs nothing", async () => {
  await using fake = new FakeUpstream();
  const upstream = { kind: "anthropic" };
  await using service = await TestService.start({
    config: labConfig({ id: "native", baseUrl: fake.baseUrl, upstream }),
  });
  const error = await service.client().chat.completions.create({
    model: "auto",
    messages: [{ role: "user", content: "Hi" }],
    logit_bias: { "1": 5 },
  }).catch((error) => error);
  assertEquals([error.status, error.param], [400, "logit_bias"]);
  assertEquals(fake.requests.length, 0);
  await service.assertBooks();
});

Deno.test("reading from a provider's cache and writing to it have a price each", async () => {
  for (const stream of [false, true]) {
    await using fake = new FakeUpstream();
    const price = {
      inputPerMTok: "3",
      cachedInputPerMTok: "0.3",
      cacheWriteInputPerMTok: "3.75",
      outputPerMTok: "15",
    };
    const upstream = { kind: "anthropic" };
    const config = labConfig({ id: "native", baseUrl: fake.baseUrl, upstream, price });
    await using service = await TestService.start({ config });
    fake.answer(script(ANTHROPIC, ANTHROPIC.cached, stream));
    const { completions } = service.client().chat;
    const params = { model: "auto", messages: [{ role: "user" as const, content: "Hi" }] };
    const last = stream
      ? (await Array.fromAsync(await completions.create({ ...params, stream: true }))).at(-1)
      : await completions.create(params);
    assert(last !== undefined);
    const { billing } = readPairs(Reflect.get(last, "metadata"));
    assert(billing !== undefined);
    // 13 fresh, 80 read, 7 written and 5 out, at 3 000, 300, 3 750 and 15 000 micro-credits each.
    assertEquals(billing.charged, "0.164250");
    assertEquals(
      [billing.input_tokens, billing.cached_input_tokens, billing.cache_write_input_tokens],
      [100, 80, 7],
    );
    assertEquals(Reflect.get(last.usage?.prompt_tokens_details ?? {}, "cache_write_tokens"), 7);
    await service.assertBooks();
  }
});

Deno.test("without a limit of the caller, the provider receives the limit of the hold", async () => {
  await using fake = new FakeUpstream();
  const upstream = { kind: "anthropic" };
  const model = { id: "native", baseUrl: fake.baseUrl, upstream, maxOutputTokens: 900 };
  await using service = await TestService.start({ config: labConfig(model) });
  fake.answer(json(ANTHROPIC.text.json));
  const messages = [{ role: "user" as const, content: "Hi" }];
  await service.client().chat.completions.create({ model: "auto", messages });
  assertEquals(ANTHROPIC.read(JSON.parse(fake.last.text)).maxTokens, 900);
});

Deno.test("the answer reports the members that were left out", async () => {
  await using fake = new FakeUpstream();
  const upstream = { kind: "anthropic" };
  await using service = await TestService.start({
    config: labConfig({ id: "native", baseUrl: fake.baseUrl, upstream }),
  });
  fake.answer(json(ANTHROPIC.text.json));
  const answer = await service.client().chat.completions.create({
    model: "auto",
    messages: [{ role: "user", content: "Hi" }],
    seed: 7,
    max_completion_tokens: 50,
  });
  assertEquals(Reflect.get(answer, "upstream_warnings"), [
    '"seed" is not supported and was left out',
  ]);
});
