/** Runs every file of the conformance vectors; a file of an unknown kind is an error. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConfigurationError, ServiceClient } from "../mod.ts";
import { transportOptionsOf } from "../options.ts";
import { isTransient, retryWaitMs } from "../retry.ts";
import { EventReader } from "../sse.ts";
import { withEnvironment } from "../environment_test.ts";
import { runCall, service } from "./call_case_test.ts";
import { inPieces } from "./scripted_answers_test.ts";
import { runStream } from "./stream_case_test.ts";
import { asJson, type Fields, valueAt, type VectorCase, vectorFiles } from "./vector_file_test.ts";

/** One check of a case; most kinds have one. */
interface Check {
  readonly name: string;
  readonly run: () => unknown;
}

type Kind = (one: VectorCase) => readonly Check[];

/** A kind whose cases are one check each. */
function single(run: (one: VectorCase) => unknown): Kind {
  return (one) => [{ name: one.name, run: () => run(one) }];
}

const KINDS: Readonly<Record<string, Kind>> = {
  calls: (one) => {
    const stated: readonly string[] = Object(one["methods"]);
    // Every upload is made in both forms that a file has.
    const methods = stated.flatMap((method) =>
      method === "files.create" ? [method, `${method}, opened`] : [method]
    );
    return methods.map((method) => ({
      name: `${one.name}, with ${method}`,
      run: () => runCall(one, method),
    }));
  },
  streams: single(runStream),
  "event-streams": single(runEventStream),
  "retry-waits": single(runRetryWait),
  "transient-statuses": single(({ status, transient }) =>
    assertEquals(isTransient(Number(status)), transient)
  ),
  addresses: single(runAddresses),
  "messages-to-chat": single(runMessagesToChat),
  "chat-to-messages": single(runChatToMessages),
};

const files = vectorFiles();

for (const { cases, kind, name } of files) {
  for (const one of cases) {
    for (const check of KINDS[kind]?.(one) ?? []) {
      Deno.test(`vectors, ${name}: ${check.name}`, async () => void await check.run());
    }
  }
}

Deno.test("vectors: every kind of file has a runner, and every runner a file", () => {
  const kinds = new Set(files.map(({ kind }) => kind));
  assertEquals([...kinds].sort(), Object.keys(KINDS).sort());
});

Deno.test("vectors: a case has checks, and a name of its own", () => {
  for (const { cases, kind, name } of files) {
    const names = cases.flatMap((one) => (KINDS[kind]?.(one) ?? []).map((check) => check.name));
    assert(names.length >= cases.length, name);
    assertEquals(names.length, new Set(names).size, name);
  }
});

/** The data of each event, for a text whose bytes arrive in these pieces. */
async function eventData(pieces: readonly Uint8Array[]): Promise<string[]> {
  const reader = new EventReader(inPieces(pieces));
  const data: string[] = [];
  for (let texts = await reader.read(); texts !== undefined; texts = await reader.read()) {
    data.push(...texts);
  }
  return data;
}

/** With each line end: in pieces of one byte, and in two pieces cut at every byte. */
async function runEventStream({ text, events }: VectorCase): Promise<void> {
  const expected: readonly string[] = Object(events);
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = new TextEncoder().encode(String(text).replaceAll("\n", end));
    for (let at = 0; at <= bytes.length; at++) {
      // A lone CR at the very end may be half of a CRLF; the event is known all the same.
      const read = await eventData([bytes.slice(0, at), bytes.slice(at)]);
      assertEquals(read, [...expected], `cut at ${at}`);
    }
    assertEquals(await eventData([...bytes].map((byte) => Uint8Array.of(byte))), [...expected]);
  }
}

function runRetryWait({ tries, retryAfter, random, now, waitMs }: VectorCase): void {
  const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` });
  const wait = retryWaitMs({
    ...{ tries: Number(tries), headers, random: Number(random ?? 0) },
    nowMs: Date.parse(String(now ?? "2026-01-31T12:00:00Z")),
  });
  assertEquals(wait ?? null, waitMs);
}

async function runAddresses({ environment, client, expect }: VectorCase): Promise<void> {
  const { models, catalog, authorization, xApiKey }: Fields = Object(expect);
  await withEnvironment(Object(environment), () => {
    const { apiBaseUrl, headers, openAIBaseUrl } = transportOptionsOf(Object(client));
    assertEquals([openAIBaseUrl, apiBaseUrl ?? null], [models, catalog]);
    assertEquals(headers.get("authorization"), authorization);
    assertEquals(headers.get("x-api-key"), xApiKey);
  });
}

/** The messages of a client that has no tools of its own. */
function messagesOf(answer: unknown) {
  const { fetch, sent } = service([{ json: answer }]);
  const options = { apiKey: "svc_live_key", defaultLocalTools: false, timeoutMs: 0 };
  return { sent, messages: new ServiceClient({ ...options, fetch }).messages };
}

const HELLO = {
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{
    index: 0,
    message: { role: "assistant", content: "Hi" },
    finish_reason: "stop",
  }],
};

async function runMessagesToChat({ request, chat, refused }: VectorCase): Promise<void> {
  const { messages, sent } = messagesOf(HELLO);
  const create = () => messages.create(Object(request));
  if (refused !== undefined) {
    await assertRejects(create, ConfigurationError, String(refused));
    assertEquals(sent, []);
    return;
  }
  await create();
  const { model, stream, ...body } = sent[0]?.body ?? {};
  assertEquals([model, stream], ["auto", false]);
  assertEquals(body, chat);
}

async function runChatToMessages({ request, chat, message }: VectorCase): Promise<void> {
  const { messages } = messagesOf(chat);
  const received = asJson(await messages.create({ messages: [], ...Object(request) }));
  for (const [pointer, expected] of Object.entries(Object(message))) {
    assertEquals(valueAt(received, pointer) ?? null, expected, pointer);
  }
}
