/**
 * A compound Responses request: the answer alone is an item of the output, tasks stand beside it.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ResponseResource } from "@svc/sdk/protocol";
import { responseSchema } from "../../../gateway/http/schemas/responses_resource.ts";
import { CALL_MICROS, COMPARISON, orchestrationLab } from "../../fixtures/orchestrated.ts";
import { readUntil } from "../../fixtures/event_stream.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { BOOTSTRAP_KEY, type TestService } from "../../fixtures/service.ts";

interface WireEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly orchestration?: { readonly task_id: string; readonly status?: string };
  readonly response?: ResponseResource;
}

function ask(service: TestService, fields: Readonly<Record<string, unknown>> = {}, choice = "all") {
  return fetch(`${service.openaiUrl}/responses`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${BOOTSTRAP_KEY}`,
      "x-orchestration": choice,
    },
    body: JSON.stringify({ model: "auto", input: COMPARISON, ...fields }),
  });
}

async function readWire(response: Response): Promise<readonly WireEvent[]> {
  const lines = (await response.text()).split("\n");
  return lines.filter((line) => line.startsWith("data: {")).map((line) =>
    JSON.parse(line.slice(6))
  );
}

function assertAnswer({ output, orchestration, metadata, usage }: ResponseResource): void {
  assertEquals(output.map(({ type }) => type), ["message"]);
  assertStringIncludes(JSON.stringify(output), "The answer.");
  assertEquals(orchestration?.tasks.map(({ task_id, status }) => [task_id, status]), [
    ...[["plan", "done"], ["tea", "done"], ["coffee", "done"], ["cocoa", "done"]],
    ["final", "done"],
  ]);
  assertEquals(metadata.billing?.charged, "0.140000");
  assertEquals([usage?.input_tokens, usage?.output_tokens], [100, 20]);
}

Deno.test("JSON: the answer is the output, the tasks stand beside it, and all is kept", async () => {
  await using lab = await orchestrationLab();
  const { service } = lab;
  const resource: ResponseResource = await (await ask(service)).json();
  responseSchema.parse(resource);
  assertAnswer(resource);
  assertEquals((await service.wallet()).spent, 5n * CALL_MICROS);
  const kept = await fetch(`${service.openaiUrl}/responses/${resource.id}`, {
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}` },
  });
  assertAnswer(await kept.json());
  const next = await postResponse(service, {
    input: "Thank you.",
    previous_response_id: resource.id,
  });
  assertEquals(next.status, 200);
  await next.body?.cancel();
  await service.assertBooks();
});

for (const choice of ["all", "final"]) {
  Deno.test(`streamed, ${choice}: one row of events, tasks as extensions of it`, async () => {
    await using lab = await orchestrationLab();
    const { service } = lab;
    const events = await readWire(await ask(service, { stream: true }, choice));
    assertEquals(events.map((event) => event.sequence_number), events.map((_, at) => at));
    assertEquals(events[0]?.type, "response.created");
    const deltas = events.filter(({ type }) => type === "response.output_text.delta");
    assertEquals(deltas.map(({ delta }) => delta).join(""), "The answer.");
    const last = events.at(-1);
    assert(last?.type === "response.completed" && last.response !== undefined);
    responseSchema.parse(last.response);
    assertAnswer(last.response);
    const own = events.filter(({ type }) => type.startsWith("svc:"));
    const eventsOf = (type: string) =>
      own.filter((event) => event.type === `svc:orchestration.task.${type}`)
        .map(({ orchestration }) => orchestration?.task_id).sort();
    const tasks = ["cocoa", "coffee", "tea"];
    assertEquals(new Set(eventsOf("started")), new Set(choice === "all" ? tasks : []));
    assertEquals(new Set(eventsOf("delta")), new Set(choice === "all" ? tasks : []));
    assertEquals(eventsOf("done"), choice === "all" ? ["cocoa", "coffee", "plan", "tea"] : []);
    await service.assertBooks();
  });
}

Deno.test("the official client reads the answer", async () => {
  await using lab = await orchestrationLab();
  const client = lab.service.client({ defaultHeaders: { "X-Orchestration": "final" } });
  const response = await client.responses.create({ model: "auto", input: COMPARISON });
  assertEquals(response.output_text, "The answer.");
  const stream = client.responses.stream({ model: "auto", input: COMPARISON });
  const final = await stream.finalResponse();
  assertEquals(final.output_text, "The answer.");
  await lab.service.assertBooks();
});

Deno.test("the official client, which cannot filter, receives task events only on request", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const client = service.client();
  const response = client.responses.stream({ model: "auto", input: COMPARISON });
  assertEquals((await response.finalResponse()).output_text, "The answer.");
  const messages = [{ role: "user", content: COMPARISON }] as const;
  const chat = client.chat.completions.stream({ model: "auto", messages: [...messages] });
  assertEquals(await chat.finalContent(), "The answer.");
  // A caller that asks for progress receives it.
  const call = client.chat.completions.stream({ model: "auto", messages: [...messages] }, {
    headers: { "X-Orchestration": "all" },
  });
  assertStringIncludes(await call.finalContent() ?? "", "tea");
  const typesOf = async (options: { headers?: Record<string, string> } = {}) => {
    const params = { model: "auto", input: COMPARISON, stream: true } as const;
    const events = await Array.fromAsync(await client.responses.create(params, options));
    return events.map(({ type }) => type).filter((type) => type.startsWith("svc:"));
  };
  assertEquals(await typesOf(), []);
  assert((await typesOf({ headers: { "X-Dialect": "service" } })).length > 0);
  assertEquals(upstream.callsFor("final").length, 5);
  await service.assertBooks();
});

Deno.test("without an answer the response has failed, as an error or as its last events", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  upstream.on("final", { status: 500 }, { status: 500 });
  const response = await ask(service);
  const { error } = await response.json();
  assertEquals([response.status, error.code], [502, "upstream_error"]);
  for (const id of ["tea", "coffee", "cocoa"]) {
    upstream.on(id, { cutAfter: "H" }, { cutAfter: "H" });
  }
  await service.running.gateway.inFlight.idle();
  await service.assertBooks();
});

Deno.test("streamed: a response that fails while tasks run says so in its last events", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  for (const id of ["tea", "coffee", "cocoa"]) {
    upstream.on(id, { cutAfter: "H" }, { cutAfter: "H" });
  }
  const events = await readWire(await ask(service, { stream: true }));
  assertEquals(events.map((event) => event.sequence_number), events.map((_, at) => at));
  assertEquals(events.slice(-2).map(({ type }) => type), ["response.failed", "error"]);
  const { response } = events.at(-2) ?? {};
  assertEquals(response?.status, "failed");
  assertEquals(response?.orchestration?.tasks.at(-1)?.status, "failed");
  const record = await service.lastRequest();
  assertEquals(response?.metadata.billing?.charged, record.charged);
  await service.assertBooks();
});

Deno.test("streamed: a disconnect while tasks run is charged for the generated part", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  for (const id of ["tea", "coffee", "cocoa"]) upstream.on(id, { stallAfter: "Some words" });
  const response = await ask(service, { stream: true });
  assert(response.body !== null);
  const reader = response.body.getReader();
  await readUntil(reader, "Some");
  await reader.cancel();
  await service.assertBooks();
  const record = await service.lastRequest();
  assertEquals(record.outcome, "client_left");
});
