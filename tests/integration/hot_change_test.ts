/**
 * The operator changes things while requests are in flight: new requests see it within a second,
 * and those in flight do not.
 *
 * @module
 */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { readEvents } from "../fixtures/event_stream.ts";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../fixtures/fake_upstream.ts";
import {
  chunkText,
  completion,
  INPUT_MICROS,
  labConfig,
  OUTPUT_MICROS,
  QUESTION,
  usage,
  usageChunk,
} from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";

const event = (text: string) => chunk(`data: ${text}\n\n`);

/** A service whose one upstream holds a stream open until the gate opens. */
async function withStreamUnderWay(policy = {}) {
  const upstream = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  upstream.answer([
    streamHead(),
    event(chunkText({ role: "assistant", content: "Hello" })),
    { until: gate.promise },
    event(chunkText({}, "stop")),
    event(usageChunk(usage(10, 5))),
    event("[DONE]"),
    LAST_CHUNK,
  ]);
  upstream.otherwise(json(completion()));
  const config = labConfig({ id: "old", baseUrl: upstream.baseUrl });
  const service = await TestService.start({ config });
  const key = await service.newKey({ policy });
  const response = await service.chat({ messages: QUESTION, stream: true }, { key: key.key });
  assertEquals(response.status, 200);
  return {
    upstream,
    service,
    key,
    /** Lets the stream end; its model and its bill. */
    async finish() {
      gate.resolve();
      const { last, done } = await readEvents(response);
      assertEquals(done, 1);
      const billing = last.metadata?.billing;
      assert(billing !== undefined);
      return { model: last.model, billing };
    },
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The status of the next request: a change that it sees is in force within a second. */
async function statusOfNext({ key, service }: Awaited<ReturnType<typeof withStreamUnderWay>>) {
  const response = await service.chat({ messages: QUESTION }, { key: key.key });
  await response.body?.cancel();
  return response.status;
}

for (const verb of ["disable", "revoke"]) {
  Deno.test(`to ${verb} a key takes effect within a second, and leaves its stream alone`, async () => {
    await using at = await withStreamUnderWay();
    await at.service.admin("POST", `/keys/${at.key.id}/${verb}`);
    assertEquals(await statusOfNext(at), 401);
    const last = await at.finish();
    assertEquals(last.billing.output_tokens, 5);
    await at.service.assertBooks();
  });
}

Deno.test("a narrowed policy takes effect within a second", async () => {
  await using at = await withStreamUnderWay();
  await at.service.admin("POST", `/keys/${at.key.id}/narrow`, {
    policy: { endpoints: ["responses"] },
  });
  assertEquals(await statusOfNext(at), 403);
  await at.finish();
});

Deno.test("a new catalog is in force within a second; a stream in flight keeps its own", async () => {
  await using at = await withStreamUnderWay();
  await using other = new FakeUpstream();
  other.otherwise(json(completion()));
  const content = labConfig({
    id: "new",
    baseUrl: other.baseUrl,
    price: { inputPerMTok: "5.00", outputPerMTok: "7.00" },
  });
  const applied = await at.service.admin("POST", "/catalog/apply", { content });
  assertEquals([applied.applied, applied.version], [true, 2]);
  const response = await at.service.chat({ messages: QUESTION }, { key: at.key.key });
  const { model, metadata } = await response.json();
  assertEquals([model, metadata.billing.price_version], ["new", 2]);
  assertEquals(metadata.billing.charged, "0.085000");
  const list = await fetch(`${at.service.running.publicUrl}/api/v1/models`);
  assertEquals((await list.json()).data.models.map((one: { id: string }) => one.id), ["new"]);
  const last = await at.finish();
  assertEquals([last.model, last.billing.price_version], ["old", 1]);
  const due = 10n * INPUT_MICROS + 5n * OUTPUT_MICROS;
  assertEquals(BigInt(last.billing.charged.replace(".", "")), due);
  await at.service.assertBooks();
});

Deno.test("a catalog that cannot be applied changes nothing", async () => {
  await using at = await withStreamUnderWay();
  const content = labConfig({ id: "new", baseUrl: "ftp://nowhere" });
  const { adminUrl } = at.service.running;
  const response = await fetch(`${adminUrl}/admin/v1/catalog/apply`, {
    method: "POST",
    headers: { authorization: "Bearer svc_test_admin_token", "content-type": "application/json" },
    body: JSON.stringify({ content }),
  });
  assertEquals(response.status, 400);
  const { error } = await response.json();
  assert(error.param.startsWith("upstreams"), error.param);
  assertFalse(error.message.includes("lab-upstream-secret"));
  const answer = await at.service.chat({ messages: QUESTION });
  assertEquals((await answer.json()).model, "old");
  await at.finish();
  await at.service.assertBooks();
});
