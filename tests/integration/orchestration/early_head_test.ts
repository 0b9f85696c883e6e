/**
 * A stream whose plan takes long: its head and keep-alives come before the plan, over HTTP, and
 * whatever its end, the caller, the log and the books have it.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import OpenAI from "openai";
import { ServiceAPIError, ServiceClient } from "@svc/sdk";
import { readUntil } from "../../fixtures/event_stream.ts";
import {
  askSplit,
  CALL_MICROS,
  COMPARISON,
  type OrchestrationLab,
  orchestrationLab,
} from "../../fixtures/orchestrated.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { BOOTSTRAP_KEY, until } from "../../fixtures/service.ts";

const KEEP_ALIVE = ": keep-alive\n\n";
const SURFACES = ["chat", "responses"] as const;

type Surface = typeof SURFACES[number];

/** A laboratory whose planner waits to be let go, and that is silent for 10 ms at most before it. */
async function slowLab(): Promise<OrchestrationLab & { readonly go: () => void }> {
  const lab = await orchestrationLab();
  const gate = Promise.withResolvers<void>();
  lab.upstream.on("plan", { until: gate.promise });
  Object.assign(lab.service.running.gateway, { silenceMs: 10 });
  return Object.assign(lab, { go: () => gate.resolve() });
}

/** Asks; its head comes before there is a plan, which is being asked for. */
async function askEarly(
  { service, upstream }: OrchestrationLab,
  surface: Surface,
  signal?: AbortSignal,
) {
  const init = signal === undefined ? {} : { signal };
  const response = surface === "chat"
    ? await askSplit(service, { stream: true, ...init })
    : await postResponse(service, { input: COMPARISON, stream: true }, init);
  assertEquals(response.status, 200);
  assert(response.headers.get("content-type")?.startsWith("text/event-stream"));
  assert(response.body !== null);
  await until(() => upstream.calls.length === 1, "the planner to be called");
  return { response, reader: response.body.getReader() };
}

/** Nothing that would be planned is answered: the one call that is left fails everywhere. */
function failAll({ upstream }: OrchestrationLab): void {
  upstream.plan = [];
  upstream.on("plain", { status: 500 }, { status: 500 });
}

for (const surface of SURFACES) {
  Deno.test(`${surface}: the whole stream follows the keep-alives`, async () => {
    await using lab = await slowLab();
    const { reader } = await askEarly(lab, surface);
    assert((await readUntil(reader, KEEP_ALIVE)).startsWith(KEEP_ALIVE));
    lab.go();
    const last = surface === "chat" ? "[DONE]\n\n" : "response.completed";
    const rest = (await readUntil(reader, last)).replaceAll(KEEP_ALIVE, "");
    await reader.cancel();
    assert(/^(event|data): /.test(rest), rest.slice(0, 200));
    if (surface === "chat") assert(rest.startsWith('data: {"id":"chatcmpl_'), rest.slice(0, 200));
    else assertEquals(numbersIn(rest), numbersIn(rest).map((_, at) => at));
    assertEquals(lab.upstream.calls.length, 5);
    await lab.service.assertBooks();
    const { status, outcome } = await lab.service.lastRequest();
    assertEquals([status, outcome], [200, "ok"]);
  });

  Deno.test(`${surface}: a disconnect during the keep-alives ends the request`, async () => {
    await using lab = await slowLab();
    const leaving = new AbortController();
    const { response, reader } = await askEarly(lab, surface, leaving.signal);
    await readUntil(reader, KEEP_ALIVE);
    leaving.abort();
    await lab.service.assertBooks();
    await until(() => lab.service.running.gateway.inFlight.count === 0, "the request to end");
    const { status, outcome, charged } = await lab.service.lastRequest();
    assertEquals([status, outcome, charged], [200, "client_left", "0.000000"]);
    assertEquals(lab.upstream.calls.length, 1);
    assert(response.ok);
  });

  Deno.test(`${surface}: clients raise what fails after the head`, async () => {
    await using lab = await slowLab();
    const { service } = lab;
    failAll(lab);
    const official = service.client({ maxRetries: 0 });
    const raised = await assertRejects(async () => {
      const stream = surface === "chat"
        ? await official.chat.completions.create({
          ...{ model: "auto", stream: true },
          messages: [{ role: "user", content: COMPARISON }],
        })
        : await official.responses.create({ model: "auto", input: COMPARISON, stream: true });
      lab.go();
      for await (const _ of stream);
    }, OpenAI.APIError);
    assertEquals(raised.code, "upstream_error");
    const { status, outcome, charged } = await service.lastRequest();
    assertEquals([status, outcome], [200, "error"], "its head was a 200");
    assertEquals(charged, "0.028000");
    assertEquals((await service.wallet()).spent, CALL_MICROS);
    failAll(lab);
    const own = new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl: service.running.publicUrl });
    const gate = Promise.withResolvers<void>();
    lab.upstream.on("plan", { until: gate.promise });
    const failed = assertRejects(
      async () =>
        surface === "chat"
          ? await own.chat.completions.stream({
            messages: [{ role: "user", content: COMPARISON }],
          })
          : await own.responses.stream({ input: COMPARISON }),
      ServiceAPIError,
    );
    await until(() => lab.upstream.callsFor("plan").length === 2, "the second plan");
    await new Promise((resolve) => setTimeout(resolve, 50));
    gate.resolve();
    assertEquals((await failed).code, "upstream_error");
    await service.assertBooks();
  });
}

/** Sequence numbers of the events of a response. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
}
