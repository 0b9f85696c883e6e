/**
 * Verified answers of Responses, in both dialects, and of Chat Completions in the dialect `openai`.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DIALECTS, type ResponseResource } from "@svc/sdk/protocol";
import { readChatStream } from "../../fixtures/chat_stream.ts";
import {
  askVerified,
  assertBill,
  BETTER_MICROS,
  CHEAP_MICROS,
  verifiedLab,
} from "../../fixtures/verified.ts";

/** Reads a response, of a stream the one of its last event. */
async function readResponse(response: Response, stream: boolean): Promise<ResponseResource> {
  const text = await response.text();
  assertEquals(response.status, 200, text);
  if (!stream) return JSON.parse(text);
  const data = text.split("\n").filter((line) => line.startsWith("data: {"));
  const events = data.map((line) => JSON.parse(line.slice(6)));
  assertEquals(events.map(({ sequence_number }) => sequence_number), [...events.keys()]);
  const last = events.at(-1);
  assertEquals(last.type, "response.completed");
  return last.response;
}

function textOf({ output }: ResponseResource): string {
  const message = output.find(({ type }) => type === "message");
  return Object(message).content?.[0]?.text;
}

for (const stream of [false, true]) {
  const form = stream ? "streamed" : "JSON";

  for (const dialect of DIALECTS) {
    Deno.test(`${form}, ${dialect}: two equal answers are one response with the bill of both`, async () => {
      await using lab = await verifiedLab();
      const { service, upstream } = lab;
      const headers = { "x-dialect": dialect };
      const response = await readResponse(
        await askVerified(service, { endpoint: "responses", stream, headers }),
        stream,
      );
      assertEquals([textOf(response), response.model, response.status], [
        ...["B", "alpha", "completed"],
      ]);
      assertEquals(upstream.models, ["alpha", "beta"]);
      const tasks = response.orchestration?.tasks ?? [];
      assertEquals(tasks.map(({ task_id }) => task_id), ["verify-1", "verify-2", "final"]);
      assertEquals(response.usage?.total_tokens, 48);
      assertStringIncludes(JSON.stringify(response.metadata), "alpha and beta gave equal answers");
      await assertBill(lab, { micros: 2n * CHEAP_MICROS, orchestration: response.orchestration });
    });
  }

  Deno.test(`${form}: the better model writes the response where two answers differ`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" });
    const response = await readResponse(
      await askVerified(service, { endpoint: "responses", stream }),
      stream,
    );
    assertEquals([textOf(response), response.model], ["B", "zeta"]);
    await assertBill(lab, {
      micros: 2n * CHEAP_MICROS + BETTER_MICROS,
      orchestration: response.orchestration,
    });
  });

  Deno.test(`${form}: an accepted response is stored, and another continues it`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    const first = await readResponse(
      await askVerified(service, { endpoint: "responses", stream }),
      stream,
    );
    const stored = await fetch(`${service.openaiUrl}/responses/${first.id}`, {
      headers: { authorization: "Bearer svc_test_bootstrap_key" },
    });
    assertEquals(await stored.json(), first);
    const body = { previous_response_id: first.id, input: "And now?" };
    const second = await readResponse(
      await askVerified(service, { endpoint: "responses", stream, body }),
      stream,
    );
    assertEquals(textOf(second), "B");
    assertEquals(upstream.calls.length, 4);
    assertStringIncludes(JSON.stringify(upstream.calls.at(-1)?.body["messages"]), '"B"');
    await service.assertBooks();
  });
}

for (const include_usage of [false, true]) {
  for (const differs of [false, true]) {
    const outcome = differs ? "the better model's answer" : "an accepted answer";
    Deno.test(`openai, streamed, include_usage ${include_usage}: ${outcome} is a stream of the dialect`, async () => {
      await using lab = await verifiedLab();
      const { service, upstream } = lab;
      if (differs) upstream.on("alpha", { say: "A" });
      const response = await askVerified(service, {
        stream: true,
        headers: { "x-dialect": "openai" },
        body: { stream_options: { include_usage } },
      });
      const { chunks, finishes, text } = await readChatStream(response, {
        dialect: "openai",
        hasUsage: include_usage,
      });
      assertEquals([text, finishes.length], ["B", 1]);
      assertEquals(
        new Set(chunks.map(({ orchestration }) => orchestration?.task_id)),
        new Set(["final"]),
      );
      const { tasks } = Object(chunks.at(-1)?.orchestration);
      assertEquals(tasks.length, 3);
      assert(upstream.calls.slice(0, 2).every(({ body }) => !("stream_options" in body)));
      await assertBill(lab, {
        micros: 2n * CHEAP_MICROS + (differs ? BETTER_MICROS : 0n),
        orchestration: { tasks },
      });
    });
  }
}

for (const endpoint of ["chat", "responses"] as const) {
  Deno.test(`${endpoint}: a request with hosted tools is not verified, and its metadata says so`, async () => {
    await using lab = await verifiedLab({ fields: { search: { kind: "offline" } } });
    const { service, upstream } = lab;
    const body = { tools: [{ type: "web_search_preview" }] };
    const response = await askVerified(service, { endpoint, body });
    const { metadata: { routing } } = await response.json();
    assertEquals(routing.orchestration, "Not verified: it uses hosted tools");
    assertEquals([routing.plan, upstream.calls.length], ["value", 1]);
    await service.assertBooks();
  });
}
