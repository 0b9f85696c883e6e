/**
 * On every wire a response names fields to its caller as the caller sent them, in refusals and in the
 * list of ignored fields.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { completion, labConfig } from "../../fixtures/lab.ts";
import { answered, refused } from "../../fixtures/responses_calls.ts";
import { TestService } from "../../fixtures/service.ts";
import { ANTHROPIC } from "../../fixtures/upstreams/anthropic.ts";

type Fields = Readonly<Record<string, unknown>>;

const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const WEB = { type: "web_search_preview" };
const user = (...content: readonly Fields[]) => ({ role: "user", content });
const image = (fields: Fields) => ({ type: "input_image", image_url: IMAGE, ...fields });

async function claude(): Promise<AsyncDisposable & { service: TestService; fake: FakeUpstream }> {
  const fake = new FakeUpstream();
  fake.otherwise(json(ANTHROPIC.text.json));
  const service = await TestService.start({
    config: {
      ...labConfig({
        id: "claude",
        baseUrl: fake.baseUrl,
        upstream: { kind: "anthropic" },
        featureTags: ["tools", "json", "vision", "files"],
        more: { upstreamModel: "claude-sonnet-4-5" },
      }),
      search: { kind: "offline" },
    },
  });
  return {
    service,
    fake,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a refusal of another wire names the caller's field", async () => {
  await using lab = await claude();
  const named: readonly (readonly [Fields, string])[] = [
    [{
      instructions: "Be brief",
      input: [user({ type: "input_text", text: "a" }, image({ image_url: "ftp://x" }))],
    }, "input.0.content.1.image_url"],
    [{
      input: [user({ type: "input_file", file_data: "no data URI", filename: "a.pdf" })],
    }, "input.0.content.0.file_data"],
    [{ input: "Hi", text: { format: { type: "odd" } } }, "text.format.type"],
    [{ input: "Hi", reasoning: { effort: "odd" } }, "reasoning.effort"],
  ];
  for (const [body, expected] of named) {
    for (
      const more of [{}, { stream: true }, ...body["text"] ? [] : [{ tools: [WEB], stream: true }]]
    ) {
      const { status, param } = await refused(lab.service, { ...body, ...more });
      assertEquals([status, param], [400, expected], JSON.stringify({ ...body, ...more }));
    }
  }
  assertEquals(lab.fake.requests.length, 0);
});

Deno.test("a left-out member is named by the caller's path", async () => {
  await using lab = await claude();
  const { metadata } = await answered(lab.service, {
    input: [user(image({ detail: "low" })), { role: "user", content: "Hi", name: "ada" }],
    text: { format: { type: "json_schema", name: "n", schema: {}, odd: 1 } },
  });
  assertEquals(metadata?.routing?.not_carried?.toSorted(), [
    '"input.0.content.0.detail" is not supported and was left out',
    '"input.1.name" is not supported and was left out',
    '"text.format.odd" is not supported and was left out',
  ]);
});

Deno.test("of a shortened input the places are the caller's as well", async () => {
  await using lab = await claude();
  const { metadata } = await answered(lab.service, {
    truncation: "auto",
    input: [{ role: "user", content: "long ".repeat(120_000) }, user(image({ detail: "low" }))],
  });
  const line = '"input.1.content.0.detail" is not supported and was left out';
  assertEquals(metadata?.routing?.not_carried?.includes(line), true);
});

Deno.test("an upstream's refusal of a chat field is reported with the caller's path", async () => {
  await using fake = new FakeUpstream();
  const error = { message: "Bad image", type: "invalid_request_error", code: "invalid_image" };
  fake.otherwise(json(completion()));
  const config = labConfig({ id: "m", baseUrl: fake.baseUrl });
  await using service = await TestService.start({ config });
  for (const param of ["messages.1.content.0.image_url", "messages[1].content[0].image_url.url"]) {
    fake.answer(json({ error: { ...error, param } }, { status: 400 }));
    const refusal = await refused(service, { instructions: "Be brief", input: [user(image({}))] });
    assertEquals([refusal.status, refusal.param], [400, "input.0.content.0.image_url"]);
  }
});
