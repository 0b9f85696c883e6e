/**
 * Runs the cases on one response route: complete and streamed, raw and through OpenAI's client.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { ResponseResource } from "@svc/sdk/protocol";
import { zodTextFormat } from "openai/helpers/zod";
import type OpenAI from "openai";
import { z } from "zod";
import { responseSchema } from "../../../gateway/http/schemas/responses_resource.ts";
import { readPairs } from "../../fixtures/dialects.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import type { TestService } from "../../fixtures/service.ts";
import { type Asked, type Case, CASES, outputText } from "./cases.ts";
import { assertEventRules, readResponseEvents } from "./event_rules.ts";
import type { ResponseRoute, RoutePlan } from "./routes.ts";

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** Registers the cases of one response route. */
export function openResponsesSuite(plan: RoutePlan): void {
  const has = (need: (typeof plan.without)[number]) => !plan.without.includes(need);
  for (const one of CASES) {
    const needs = one.needs === undefined ? one.answers : [...one.answers, one.needs];
    if (!needs.every(has)) continue;
    Deno.test(`Open Responses, ${plan.name}: ${one.name}`, () => runCase(plan, one));
  }
  Deno.test(`Open Responses, ${plan.name}: responses.parse, and a stream that is parsed`, () =>
    runParse(plan));
  if (!has("refusal")) return;
  Deno.test(`Open Responses, ${plan.name}: a refusal`, () => runRefusal(plan));
}

const CLOSINGS = { completed: "response.completed", incomplete: "response.incomplete" } as const;

/** Four ways to the same answer. */
const WAYS: readonly {
  readonly stream: boolean;
  ask(service: TestService, question: Asked, one: Case): Promise<ResponseResource>;
}[] = [
  {
    stream: false,
    async ask(service, question) {
      const response = await postResponse(service, { ...question });
      const body = await response.json();
      assertEquals(response.status, 200, JSON.stringify(body));
      assertEquals(response.headers.get("content-type"), "application/json");
      assertEquals(response.headers.get("x-request-id"), body.metadata.request_id);
      return body;
    },
  },
  {
    stream: true,
    async ask(service, question, { status }) {
      const response = await postResponse(service, { ...question, stream: true });
      assertEquals(response.status, 200);
      return assertEventRules(await readResponseEvents(response), CLOSINGS[status ?? "completed"]);
    },
  },
  {
    stream: false,
    async ask(service, question) {
      const answer = await service.client().responses.create(paramsOf(question));
      return { ...plain(answer), metadata: readPairs(answer.metadata) };
    },
  },
  {
    stream: true,
    async ask(service, question) {
      const { stream: _stream, ...params } = paramsOf(question);
      const answer = await service.client().responses.stream(params).finalResponse();
      return { ...plain(answer), metadata: readPairs(answer.metadata) };
    },
  },
];

async function runCase(plan: RoutePlan, one: Case): Promise<void> {
  await using route = await plan.start();
  for (const { stream, ask } of WAYS) {
    const [first, last] = one.then === undefined ? [undefined, one.answers[0]] : one.answers;
    let question = one.request;
    if (first !== undefined) {
      route.prepare(first, stream);
      question = one.then?.(strict(await ask(route.service, question, one))) ?? question;
    }
    assert(last !== undefined);
    route.prepare(last, stream);
    const resource = strict(await ask(route.service, question, one));
    assertEquals(resource.status, one.status ?? "completed");
    assertEquals(resource.previous_response_id, question.previous_response_id ?? null);
    one.check(resource, plan);
    const seen = route.seen();
    if (seen !== undefined) one.checkSeen?.(seen);
    await checkBill(route, resource);
  }
  await route.service.assertBooks();
}

/** The bill in the answer is the one in the books. */
async function checkBill(
  { service }: ResponseRoute,
  { metadata, usage }: ResponseResource,
): Promise<void> {
  const { billing, routing } = metadata;
  assert(billing !== undefined && routing !== undefined);
  const record = await service.lastRequest();
  assertEquals([record.charged, record.endpoint], [billing.charged, "responses"]);
  assertEquals(
    [usage?.input_tokens, usage?.output_tokens, usage?.total_tokens],
    [billing.input_tokens, billing.output_tokens, billing.total_tokens],
  );
}

const person = z.object({ name: z.string() });

async function runParse(plan: RoutePlan): Promise<void> {
  await using route = await plan.start();
  const { responses } = route.service.client();
  const params = {
    model: "auto",
    input: "A person",
    text: { format: zodTextFormat(person, "person") },
  };
  route.prepare("schema", false);
  const whole = await responses.parse(params);
  route.prepare("schema", true);
  const streamed = await responses.stream(params).finalResponse();
  for (const { output_parsed: parsed } of [whole, streamed]) {
    assertEquals(Object.keys(parsed ?? {}), ["name"]);
    if (plan.text !== undefined) assertEquals(parsed, { name: "Ada" });
  }
}

/** Runs the refusal. Some providers refuse in a text, some stop: both are reported as they are. */
async function runRefusal(plan: RoutePlan): Promise<void> {
  await using route = await plan.start();
  for (const { stream, ask } of WAYS.slice(0, 2)) {
    route.prepare("refusal", stream);
    const isWorded = plan.name === "pass-through";
    const one: Case = {
      name: "refusal",
      answers: ["refusal"],
      request: { input: "Say hello" },
      ...(isWorded ? {} : { status: "incomplete" }),
      check: () => {},
    };
    const resource = strict(await ask(route.service, one.request, one));
    if (isWorded) {
      const [message] = resource.output;
      assert(message?.type === "message");
      assertEquals(message.content, [{ type: "refusal", refusal: "Not this" }]);
    } else {
      assertEquals(resource.incomplete_details, { reason: "content_filter" });
      assertEquals(outputText(resource), "I");
    }
  }
  await route.service.assertBooks();
}

/** A resource in which no member is missing and none is unknown. */
export function strict(resource: ResponseResource): ResponseResource {
  const { error } = responseSchema.safeParse(resource);
  assert(error === undefined, `${error?.message} in ${JSON.stringify(resource)}`);
  return resource;
}

function paramsOf(question: Asked): Params {
  return { model: "auto", ...question } as unknown as Params;
}

/** Removes members that the client adds to the wire format. */
function plain(answer: object): ResponseResource {
  const { output_text: text, output_parsed: _parsed, ...resource } = JSON.parse(
    JSON.stringify(answer),
  );
  for (const item of resource.output) {
    delete item.parsed_arguments;
    for (const part of item.content ?? []) delete part.parsed;
  }
  assertEquals(text, outputText(resource));
  return resource;
}
