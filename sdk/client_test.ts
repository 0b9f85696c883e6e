import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import {
  type ChatCreateRequest,
  ConfigurationError,
  MissingAPIKeyError,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
} from "./mod.ts";

const MESSAGES = [{ role: "user", content: "Hello" }];

/** A client whose every request is answered by `answer`, and the requests it sent. */
function client(
  answer: () => Response,
  options: ServiceClientOptions = { apiKey: "svc_live_key" },
): { readonly sent: Request[]; readonly client: ServiceClient } {
  const sent: Request[] = [];
  return {
    sent,
    client: new ServiceClient({
      apiBaseUrl: "http://svc.test/",
      timeoutMs: 0,
      ...options,
      fetch: (input, init) => {
        sent.push(new Request(input, init));
        return Promise.resolve(answer());
      },
    }),
  };
}

function sse(...frames: string[]): Response {
  return new Response(frames.map((frame) => `data: ${frame}\n\n`).join(""));
}

const ENVIRONMENT = ["SERVICE_API_KEY", "SERVICE_API_BASE_URL", "SERVICE_OPENAI_BASE_URL"];

/** Runs with these variables only, and puts back what was there. */
async function withEnvironment(
  variables: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const before = ENVIRONMENT.map((name) => [name, Deno.env.get(name)] as const);
  for (const name of ENVIRONMENT) Deno.env.delete(name);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

Deno.test("ServiceClient without a key lists models, and sends nothing else", async () => {
  await withEnvironment({}, async () => {
    const list = { success: true, data: { models: [] } };
    const { sent, client: c } = client(() => Response.json(list), {});
    assertEquals(await c.models.list(), { success: true, data: { models: [] } });
    assertEquals(sent.map((request) => request.headers.has("authorization")), [false]);

    const calls: (() => Promise<unknown>)[] = [
      () => c.chat.completions.create({ messages: MESSAGES }),
      () => c.chat.completions.stream({ messages: MESSAGES }).next(),
      () => c.models.meta(),
      () => c.pricing.retrieve(),
    ];
    for (const call of calls) await assertRejects(call, MissingAPIKeyError, "SERVICE_API_KEY");
    assertEquals(sent.length, 1);
  });
});

Deno.test("ServiceClient reads from the environment what the options leave out", async () => {
  const variables = {
    SERVICE_API_KEY: "from-environment",
    SERVICE_API_BASE_URL: "http://api.test/base/",
    SERVICE_OPENAI_BASE_URL: "http://models.test/v1/",
  };
  await withEnvironment(variables, async () => {
    const one = client(() => Response.json({}), { apiBaseUrl: undefined });
    await one.client.pricing.retrieve();
    await one.client.chat.completions.create({ messages: MESSAGES });
    assertEquals(one.sent.map(({ url }) => url), [
      "http://api.test/base/api/v1/pricing",
      "http://models.test/v1/chat/completions",
    ]);
    assertEquals(one.sent[0]?.headers.get("authorization"), "Bearer from-environment");

    const other = client(() => Response.json({}), {
      apiKey: "given",
      openAIBaseUrl: "http://m.test",
    });
    await other.client.pricing.retrieve();
    await other.client.chat.completions.create({ messages: MESSAGES });
    assertEquals(other.sent.map(({ url }) => url), [
      "http://svc.test/api/v1/pricing",
      "http://m.test/chat/completions",
    ]);
    assertEquals(other.sent[0]?.headers.get("authorization"), "Bearer given");
  });
});

Deno.test("ServiceClient stands on the local gateway where nothing is said", async () => {
  await withEnvironment({}, async () => {
    const { sent, client: c } = client(() => Response.json({}), {
      apiKey: "k",
      apiBaseUrl: undefined,
    });
    await c.chat.completions.create({ messages: MESSAGES });
    assertEquals(sent[0]?.url, "http://127.0.0.1:8787/openai/v1/chat/completions");
  });
});

Deno.test("ServiceClient refuses a base that is no http(s) URL", () => {
  assertThrows(
    () => client(() => new Response(), { apiBaseUrl: "svc" }),
    ConfigurationError,
    '"svc"',
  );
  assertThrows(
    () => client(() => new Response(), { openAIBaseUrl: "ftp://svc" }),
    ConfigurationError,
    "openAIBaseUrl",
  );
});

Deno.test("catalog calls carry the locale", async () => {
  const { sent, client: c } = client(() => Response.json({}));
  await c.models.list({ locale: "zh", requestId: "req-1" });
  await c.models.meta({ locale: "en" });
  await c.pricing.retrieve();
  assertEquals(sent.map(({ method, url }) => [method, url]), [
    ["GET", "http://svc.test/api/v1/models?locale=zh"],
    ["GET", "http://svc.test/api/v1/models/meta?locale=en"],
    ["GET", "http://svc.test/api/v1/pricing"],
  ]);
  assertEquals(sent[0]?.headers.get("x-request-id"), "req-1");
});

Deno.test("chat.completions.create() sends auto and the whole request, and tells the id", async () => {
  const answer = { id: "chatcmpl-1", choices: [], metadata: { request_id: "req-1" }, new_field: 1 };
  const { sent, client: c } = client(() => Response.json(answer));
  const completion = await c.chat.completions.create(
    { messages: MESSAGES, temperature: 0, unheard_of: { a: 1 } },
    { requestId: "req-1" },
  );
  assertEquals(await sent[0]?.json(), {
    messages: MESSAGES,
    temperature: 0,
    unheard_of: { a: 1 },
    model: "auto",
    stream: false,
  });
  assertEquals(sent[0]?.headers.get("x-request-id"), "req-1");
  assertEquals(completion.requestId, "req-1");
  assertEquals(completion["new_field"], 1);
});

Deno.test("chat.completions refuses another model than auto, and sends nothing", async () => {
  const { sent, client: c } = client(() => Response.json({}));
  // Untyped callers can say what the type forbids.
  const request: ChatCreateRequest = JSON.parse('{"model":"fast-mini","messages":[]}');
  const calls: (() => Promise<unknown>)[] = [
    () => c.chat.completions.create(request),
    () => c.chat.completions.stream(request).next(),
  ];
  for (const call of calls) {
    await assertRejects(call, ConfigurationError, 'Cannot send the model "fast-mini"');
  }
  assertEquals(sent, []);
});

Deno.test("chat.completions.stream() yields chunks, with choices where there were none", async () => {
  const { sent, client: c } = client(() =>
    sse(
      '{"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}',
      '{"id":"c","choices":null,"usage":{"total_tokens":3}}',
      '{"id":"c","metadata":{"request_id":"req-1"}}',
      "[DONE]",
    )
  );
  const chunks = [];
  for await (const chunk of c.chat.completions.stream({ messages: MESSAGES })) chunks.push(chunk);
  assertEquals(chunks.map(({ choices }) => choices), [
    [{ index: 0, delta: { content: "Hi" }, finish_reason: null }],
    [],
    [],
  ]);
  assertEquals(chunks[1]?.usage?.total_tokens, 3);
  assertEquals(chunks[2]?.metadata?.request_id, "req-1");
  const body: unknown = await sent[0]?.json();
  assertEquals(body, { messages: MESSAGES, model: "auto", stream: true });
});

Deno.test("chat.completions throws a ServiceAPIError, whole and streamed", async () => {
  const body = { message: "Add credits", code: "insufficient_balance", request_id: "req-1" };
  const { client: c } = client(() => Response.json({ error: body }, { status: 402 }));
  const calls: (() => Promise<unknown>)[] = [
    () => c.chat.completions.create({ messages: MESSAGES }),
    () => c.chat.completions.stream({ messages: MESSAGES }).next(),
  ];
  for (const call of calls) {
    const error = await assertRejects(call, ServiceAPIError, "Add credits");
    assertEquals([error.status, error.requestId], [402, "req-1"]);
    assertEquals(error.body, body);
  }
});

Deno.test("chat.completions.stream() throws where the answer breaks off", async () => {
  const { client: c } = client(() => sse('{"choices":[]}'));
  const chunks = c.chat.completions.stream({ messages: MESSAGES });
  assert(!(await chunks.next()).done);
  await assertRejects(() => chunks.next(), ServiceAPIError, "ended before it was complete");
});

Deno.test("ChatCreateRequest keeps the types of named fields", () => {
  assertType<IsExact<ChatCreateRequest["temperature"], number | null | undefined>>(true);
  assertType<IsExact<ChatCreateRequest["model"], "auto" | undefined>>(true);
});
