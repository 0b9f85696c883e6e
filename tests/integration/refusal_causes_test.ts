/**
 * Requests that can never work are refused as the caller's mistake; others say when to come back.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION } from "../fixtures/lab.ts";
import { postResponse, refused } from "../fixtures/responses_calls.ts";
import { TestService } from "../fixtures/service.ts";

async function laboratory(count = 1) {
  const upstreams = Array.from({ length: count }, () => new FakeUpstream());
  const config = labConfig(
    ...upstreams.map(({ baseUrl }, at) => ({
      id: `m${at}`,
      baseUrl,
      more: { contextTokens: 9_000 },
    })),
  );
  for (const upstream of upstreams) upstream.otherwise(json(completion()));
  const service = await TestService.start({ config });
  return {
    upstreams,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      for (const upstream of upstreams) await upstream[Symbol.asyncDispose]();
    },
  };
}

const FILE = { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" };

Deno.test("audio and files that no model takes are a 400 that names the field", async () => {
  await using at = await laboratory();
  const content = (
    part: object,
  ) => [{ role: "user", content: [{ type: "text", text: "?" }, part] }];
  const bodies: readonly (readonly [string, object])[] = [
    ["modalities", {
      messages: QUESTION,
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "wav" },
    }],
    ["messages.0.content.1", { messages: content({ type: "file", file: FILE }) }],
    ["messages.0.content.1", {
      messages: content({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
    }],
  ];
  for (const [param, body] of bodies) {
    const response = await at.service.chat({ ...body });
    const { error } = await response.json();
    assertEquals([response.status, error.code, error.param], [400, "invalid_request", param]);
    assertEquals(response.headers.get("retry-after"), null);
  }
  const input = [{ role: "user", content: [{ type: "input_file", ...FILE }] }];
  const { status, param } = await refused(at.service, { input });
  assertEquals([status, param], [400, "input.0.content.0"]);
  await at.service.assertBooks();
});

Deno.test("an input that is too long for every model is named", async () => {
  await using at = await laboratory();
  const content = "word ".repeat(20_000);
  const response = await at.service.chat({ messages: [{ role: "user", content }] });
  const { error } = await response.json();
  assertEquals([response.status, error.code, error.param], [
    400,
    "context_length_exceeded",
    "messages",
  ]);
  const { code, param } = await refused(at.service, { input: content });
  assertEquals([code, param], ["context_length_exceeded", "input"]);
});

Deno.test("a rate-limited pool answers 429 at once and while it cools down", async () => {
  await using at = await laboratory(2);
  const limited = (seconds: string) =>
    json({ error: { message: "Slow down" } }, { status: 429, headers: { "retry-after": seconds } });
  at.upstreams[0]?.otherwise(limited("70"));
  at.upstreams[1]?.otherwise(limited("40"));
  const messageOf = async (ask: () => Promise<Response>) => {
    const response = await ask();
    const { error: { request_id: _, ...error } } = await response.json();
    const waitSeconds = Number(response.headers.get("retry-after"));
    assert(waitSeconds > 30 && waitSeconds <= 40, `${waitSeconds}`);
    assertEquals(response.status, 429);
    return error;
  };
  const first = await messageOf(() => at.service.chat({ messages: QUESTION }));
  assertEquals(first.code, "rate_limit_exceeded");
  assertEquals(await messageOf(() => at.service.chat({ messages: QUESTION })), first);
  assertEquals(await messageOf(() => at.service.chat({ messages: QUESTION, stream: true })), first);
  assertEquals(await messageOf(() => postResponse(at.service, { input: "Hi" })), first);
  assertEquals(at.upstreams.map(({ requests }) => requests.length), [1, 1]);
  await at.service.assertBooks();
});
