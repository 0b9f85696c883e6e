/** A service that sends without end, or what a terminal would obey. */

import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { Answer } from "./answer.ts";
import {
  LONGEST_ERROR_BYTES,
  LONGEST_EVENT_CHARS,
  ServiceAPIError,
  type ServiceClient,
  ServiceConnectionError,
} from "./mod.ts";
import { MESSAGES, type Reply, scripted } from "./scripted_service_test.ts";
import { EventReader } from "./sse.ts";

const REQUEST = { messages: MESSAGES };
const FILLING = new TextEncoder().encode("x".repeat(1024 * 1024));

/** A body that begins like this and then never ends, and how much of it was taken. */
function endless(beginning: string, filling = FILLING) {
  const taken = { bytes: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = taken.bytes === 0 ? new TextEncoder().encode(beginning) : filling.slice();
      taken.bytes += piece.length;
      controller.enqueue(piece);
    },
    cancel: () => {
      taken.isCancelled = true;
    },
  }, { highWaterMark: 0 });
  return { taken, body };
}

const METHODS: Readonly<Record<string, (client: ServiceClient) => Promise<unknown>>> = {
  create: (client) => client.chat.completions.create(REQUEST),
  stream: (client) => client.chat.completions.stream(REQUEST).final(),
  run: (client) => client.responses.run({ input: "Hello" }),
};

for (const [name, call] of Object.entries(METHODS)) {
  Deno.test(`${name}: an error without end is an error with its status, and is not read on`, async () => {
    const { taken, body } = endless('{"error":{"message":"');
    const headers = { "x-request-id": "req-header" };
    const { client } = scripted(() => new Response(body, { status: 502, headers }));
    const error = await assertRejects(() => call(client), ServiceAPIError, "HTTP 502");
    assertEquals([error.status, error.requestId, error.body], [502, "req-header", undefined]);
    assert(taken.isCancelled);
    assert(taken.bytes <= LONGEST_ERROR_BYTES + 2 * FILLING.length);
  });
}

Deno.test("an event without end breaks the stream off", async () => {
  const { taken, body } = endless('data: {"choices":[{"index":0,"delta":{"content":"');
  const { client } = scripted(() => new Response(body));
  await assertRejects(
    () => client.chat.completions.stream(REQUEST).final(),
    ServiceConnectionError,
    "event longer than",
  );
  assert(taken.isCancelled);
  assert(taken.bytes <= LONGEST_EVENT_CHARS + 3 * FILLING.length);
});

Deno.test("an endless stream is aborted, also one without events", async () => {
  for (const filling of [": keep-alive\n\n", 'data: {"choices":[]}\n\n']) {
    const { taken, body } = endless(filling, new TextEncoder().encode(filling.repeat(100)));
    const reader = new EventReader(body, { maxBytes: 10_000 });
    const read = async () => {
      while (await reader.read() !== undefined);
    };
    await assertRejects(read, ServiceConnectionError, "answer is longer than 10000 bytes");
    await reader.cancel();
    assert(taken.isCancelled);
    assert(taken.bytes < 20_000);
  }
});

Deno.test("an answer in one piece has a limit, too", async () => {
  const { taken, body } = endless('{"choices":');
  const answer = new Answer(new Response(body), { headers: new Headers() });
  const options = { maxBytes: 10_000, signal: new AbortController().signal };
  await assertRejects(() => answer.text(options), ServiceConnectionError, "longer than 10000");
  assert(taken.isCancelled);
  assert(taken.bytes < 3 * FILLING.length);
});

/**
 * Text that clears a screen, names a window, reverses the direction of text, or writes another
 * line.
 */
const OBEYED = "\u001b[2J\u009b31m\u0007\r\nroot: all is well\u202e\u2028";
const RAW = /[\p{Cc}\u2028-\u202e]/u;

const ERRORS: Readonly<Record<string, Reply>> = {
  "an error": () => {
    const error = { message: `No${OBEYED}`, code: `c${OBEYED}`, request_id: `r${OBEYED}` };
    return Response.json({ error }, { status: 400 });
  },
  "an error that is long": () => {
    const [code, request_id] = ["c", "r"].map((letter) => letter.repeat(100_000));
    return Response.json({ error: { message: "No", code, request_id } }, { status: 400 });
  },
  "a header": () => {
    const headers = { "x-request-id": "req\u009b31m" };
    return new Response("<html>", { status: 400, headers });
  },
};

for (const [name, reply] of Object.entries(ERRORS)) {
  Deno.test(`${name}: nothing of it reaches a terminal as a command, or fills a log`, async () => {
    const logged: string[] = [];
    const tell = (...line: unknown[]) => void logged.push(JSON.stringify(line));
    const { client } = scripted(reply, { logger: { debug: tell, warn: tell } });
    const error = await assertRejects(() => client.models.list(), ServiceAPIError);
    const { message, code, requestId, stack } = error;
    for (const text of [message, code ?? "", requestId ?? "", ...logged]) {
      assertFalse(RAW.test(text), JSON.stringify(text));
    }
    assertFalse(RAW.test((stack ?? "").replaceAll("\n", "")));
    assert((code ?? "").length <= 128 && (requestId ?? "").length <= 128);
  });
}

Deno.test("a secret is found in a message whose control characters are taken out", async () => {
  const prompt = "My password is\n\u001bcorrect horse battery staple";
  const message = "Cannot take My password is  correct horse";
  const { client } = scripted(() => Response.json({ error: { message } }, { status: 400 }));
  const request = { messages: [{ role: "user", content: prompt }] };
  const error = await assertRejects(
    () => client.chat.completions.create(request),
    ServiceAPIError,
  );
  assertFalse(error.message.includes("password is"), error.message);
});
