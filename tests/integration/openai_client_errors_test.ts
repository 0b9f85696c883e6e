/**
 * Errors as OpenAI's own client shows them: typed, with a code, a parameter and a request id.
 *
 * @module
 */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import OpenAI, { APIError } from "openai";
import { FakeUpstream, json, sse } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, streamed, usage } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";

const ask = {
  model: "auto",
  messages: [{ role: "user" as const, content: "Hi" }],
};

async function errorOf(answer: Promise<unknown>): Promise<APIError> {
  try {
    await answer;
  } catch (error) {
    assertInstanceOf(error, APIError);
    return error;
  }
  throw new Error("It answered");
}

function simulated(directive: Readonly<Record<string, unknown>>) {
  const content = `Hi [[sim ${JSON.stringify(directive)}]]`;
  return { model: "auto", messages: [{ role: "user" as const, content }] };
}

interface Expected {
  readonly of: abstract new (...args: never[]) => APIError;
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param?: string;
}

interface Row extends Expected {
  readonly when: string;
  call(service: TestService): Promise<unknown>;
}

const create = (service: TestService, body: typeof ask, apiKey?: string) =>
  service.client(apiKey === undefined ? {} : { apiKey }).chat.completions.create(body);

const ROWS: readonly Row[] = [
  {
    when: "the body is not valid",
    call: (service) => create(service, { ...ask, messages: [] }),
    of: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    type: "invalid_request_error",
    param: "messages",
  },
  {
    when: "another model is asked for",
    call: (service) => create(service, { ...ask, model: "gpt-5" }),
    of: OpenAI.BadRequestError,
    status: 400,
    code: "model_not_allowed",
    type: "invalid_request_error",
    param: "model",
  },
  {
    when: "the key is unknown",
    call: (service) => create(service, ask, "svc_live_unknown"),
    of: OpenAI.AuthenticationError,
    status: 401,
    code: "invalid_api_key",
    type: "authentication_error",
  },
  {
    when: "the wallet is empty",
    call: async (service) => create(service, ask, (await service.newKey({ credits: "0" })).key),
    of: APIError,
    status: 402,
    code: "insufficient_balance",
    type: "insufficient_quota",
  },
  {
    when: "the policy leaves no endpoint",
    call: async (service) =>
      create(service, ask, (await service.newKey({ policy: { endpoints: ["responses"] } })).key),
    of: OpenAI.PermissionDeniedError,
    status: 403,
    code: "policy_denied",
    type: "permission_error",
  },
  {
    when: "there is nothing at the address",
    call: (service) => service.client().batches.retrieve("nothing"),
    of: OpenAI.NotFoundError,
    status: 404,
    code: "not_found",
    type: "invalid_request_error",
  },
  {
    when: "the key has used its minute up",
    call: async (service) => {
      const { key } = await service.newKey({ policy: { requestsPerMinute: 1 } });
      await create(service, ask, key);
      return create(service, ask, key);
    },
    of: OpenAI.RateLimitError,
    status: 429,
    code: "rate_limit_exceeded",
    type: "rate_limit_error",
  },
  {
    when: "every model fails",
    call: (service) => create(service, simulated({ error: 500 })),
    of: OpenAI.InternalServerError,
    status: 502,
    code: "upstream_error",
    type: "api_error",
  },
  {
    when: "the upstream refuses the operator's key",
    call: (service) => create(service, simulated({ error: 401 })),
    of: OpenAI.InternalServerError,
    status: 502,
    code: "upstream_error",
    type: "api_error",
  },
];

for (const { when, call, of, status, code, type, param } of ROWS) {
  Deno.test(`OpenAI's client throws ${of.name} (${status} ${code}) where ${when}`, async () => {
    await using service = await TestService.start();
    const error = await errorOf(call(service));
    assertInstanceOf(error, of);
    assertEquals([error.status, error.code, error.type], [status, code, type]);
    assertEquals(error.param ?? undefined, param);
    const { request_id: inBody, message } = error.error as Record<string, string>;
    assertEquals(inBody, error.requestID);
    assert(message !== undefined && /^[A-Z"/].{10,}$/.test(message), message);
    await service.assertBooks();
  });
}

for (const stream of [false, true]) {
  Deno.test(`OpenAI's client waits out a 429 and succeeds, ${stream ? "" : "not "}streamed`, async () => {
    await using upstream = new FakeUpstream();
    const limited = json({ error: { message: "Slow down" } }, {
      status: 429,
      headers: { "retry-after-ms": "300" },
    });
    upstream.answer(
      limited,
      stream ? sse(streamed(["Hello"], usage(10, 5))) : json(completion()),
    );
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    await using service = await TestService.start({ config });
    const { completions } = service.client({ maxRetries: 2 }).chat;
    const answer = stream
      ? await completions.stream(ask).finalChatCompletion()
      : await completions.create(ask);
    assertEquals(answer.choices[0]?.finish_reason, "stop");
    const { records } = await service.running.stores.log.search({ limit: 10 });
    assertEquals(records.map((record) => record.status).sort(), [200, 429]);
    assertEquals(upstream.requests.length, 2);
    await service.assertBooks();
  });
}

Deno.test("OpenAI's client throws the error that ends a broken stream", async () => {
  await using service = await TestService.start();
  const stream = await service.client().chat.completions.create({
    ...simulated({ cutAfter: 4 }),
    stream: true,
  });
  const texts: (string | null | undefined)[] = [];
  const error = await errorOf((async () => {
    for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content);
  })());
  assert(texts.length >= 3, "what came before arrives");
  assertEquals([error.code, error.type], ["upstream_error", "api_error"]);
  await service.assertBooks();
});
