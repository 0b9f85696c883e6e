import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  type CallOptions,
  ConfigurationError,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
  ServiceTimeoutError,
} from "./mod.ts";
import {
  call,
  chunk,
  completion,
  KEY,
  MESSAGES,
  scripted,
  sse,
  streamOf,
} from "./scripted_service_test.ts";

const QUESTION = { messages: MESSAGES };
const encoder = new TextEncoder();
const frames = (events: readonly unknown[]) =>
  encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

/** The part of an answer that a stalling service sends first. */
interface Stalling {
  /** Headers come where it has some. */
  readonly head?: readonly unknown[];
  /** Tool calls of its first answer; it stalls at the second. */
  readonly calls?: boolean;
}

/** A service on this machine that never finishes an answer, until the caller leaves. */
function stalling({ head, calls = false }: Stalling, options: ServiceClientOptions = {}) {
  let requests = 0;
  const arrived = Promise.withResolvers<void>();
  const disconnected = Promise.withResolvers<void>();
  const handler = async (request: Request): Promise<Response> => {
    requests++;
    request.signal.addEventListener("abort", () => disconnected.resolve());
    const { stream } = await request.json();
    if (calls && requests === 1) {
      const message = { tool_calls: [call("1", "slow")] };
      if (!stream) return Response.json(completion(message));
      return new Response(
        new Blob([frames(streamOf(message)), "data: [DONE]\n\n"]),
      );
    }
    arrived.resolve();
    if (head === undefined) {
      await disconnected.promise;
      return new Response();
    }
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(frames(head)),
      cancel: () => disconnected.resolve(),
    });
    return new Response(body);
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  const apiBaseUrl = `http://127.0.0.1:${server.addr.port}`;
  return {
    client: new ServiceClient({ apiKey: KEY, apiBaseUrl, defaultLocalTools: false, ...options }),
    arrived: arrived.promise,
    /** Resolves once the service has seen the caller disconnect; at once without a request. */
    disconnected: () => requests === 0 ? Promise.resolve() : soon(disconnected.promise),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Something that must come; fails where it does not. */
async function soon(promise: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The service was not let go")), 10_000);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const WORDS = { head: [chunk({ role: "assistant", content: "Hel" })] };

/** Every way to wait for an answer, and how far the answer has come. */
const WAITS: readonly [
  name: string,
  stalling: Stalling,
  wait: (
    client: ServiceClient,
    options: { signal?: AbortSignal; timeoutMs?: number },
  ) => Promise<unknown>,
][] = [
  ["create, before the headers", {}, (c, o) => c.chat.completions.create(QUESTION, o)],
  ["create, in the body", WORDS, (c, o) => c.chat.completions.create(QUESTION, o)],
  ["stream, before the headers", {}, (c, o) => c.chat.completions.stream(QUESTION, o).final()],
  ["stream, in the body", WORDS, (c, o) => c.chat.completions.stream(QUESTION, o).final()],
  ["run, before the headers", {}, (c, o) => c.chat.completions.run(QUESTION, o)],
  ["runStream, in the body", WORDS, (c, o) => c.chat.completions.runStream(QUESTION, o).final()],
  ["images", {}, (c, o) => c.images.generate({ prompt: "A cat" }, o)],
  ["events that are read", WORDS, async (c, o) => {
    await Array.fromAsync(c.chat.completions.stream(QUESTION, o));
  }],
  ["bytes that are read", WORDS, async (c, o) => {
    await new Response(c.chat.completions.stream(QUESTION, o).toReadableStream()).bytes();
  }],
];

for (const [name, how, wait] of WAITS) {
  Deno.test(`a time limit ends ${name}`, async () => {
    await using at = stalling(how, { timeoutMs: 60_000 });
    const error = await assertRejects(
      () => wait(at.client, { timeoutMs: 50 }),
      ServiceTimeoutError,
    );
    assertEquals(error.timeoutMs, 50);
    await at.disconnected();
  });

  Deno.test(`a signal ends ${name}, with the caller's own reason`, async () => {
    await using at = stalling(how, { timeoutMs: 0 });
    const controller = new AbortController();
    const reason = { not: "even an error" };
    const waiting = wait(at.client, { signal: controller.signal });
    at.arrived.then(() => controller.abort(reason));
    assertStrictEquals(await waiting.then(() => undefined, (error) => error), reason);
    await at.disconnected();
  });

  Deno.test(`a signal that is aborted already sends nothing: ${name}`, async () => {
    const client = new ServiceClient({
      ...{ apiKey: KEY, defaultLocalTools: false },
      fetch: () => {
        throw new Error("It was sent");
      },
    });
    const reason = new Error("Too late");
    const waiting = wait(client, { signal: AbortSignal.abort(reason) });
    assertStrictEquals(await waiting.then(() => undefined, (error) => error), reason);
  });
}

Deno.test("the client's own limit applies if the call sets none, for the life of a stream", async () => {
  await using at = stalling(WORDS, { timeoutMs: 50 });
  const error = await assertRejects(
    () => at.client.chat.completions.stream(QUESTION).final(),
    ServiceTimeoutError,
  );
  assertEquals(error.timeoutMs, 50);
  await at.disconnected();
});

Deno.test("a limit that is not a number is refused before the request", async () => {
  const client = new ServiceClient({ apiKey: KEY });
  const { completions } = client.chat;
  const options = { timeoutMs: NaN };
  const calls: (() => Promise<unknown>)[] = [
    () => completions.create(QUESTION, options),
    () => completions.stream(QUESTION, options).final(),
    () => completions.run(QUESTION, options),
    () => completions.runStream(QUESTION, options).final(),
    () => client.images.generate({ prompt: "A cat" }, options),
    () => client.models.list(options),
  ];
  for (const call of calls) await assertRejects(call, ConfigurationError, "timeoutMs");
});

/** A signal that is never aborted, and how many listen to it. */
function watched() {
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const heard = new Set<unknown>();
  let most = 0;
  signal.addEventListener = (name: string, listener: EventListener) => {
    heard.add(listener);
    most = Math.max(most, heard.size);
    add(name, listener);
  };
  signal.removeEventListener = (name: string, listener: EventListener) => {
    heard.delete(listener);
    remove(name, listener);
  };
  return { signal, now: () => heard.size, most: () => most };
}

const whole = (init: RequestInit | undefined) => {
  const { stream } = JSON.parse(String(init?.body));
  const body = new Blob([frames(streamOf({ content: "Hi" })), "data: [DONE]\n\n"]);
  return stream ? new Response(body) : Response.json(completion({ content: "Hi" }));
};

const ENDS: Readonly<Record<string, typeof fetch>> = {
  "come to their end": (_, init) => Promise.resolve(whole(init)),
  "are refused": () => Promise.resolve(Response.json({}, { status: 500 })),
  "reach nobody": () => Promise.reject(new TypeError("reset")),
};

for (const [end, fetch] of Object.entries(ENDS)) {
  Deno.test(`a long-lived signal is let go of where calls ${end}`, async () => {
    const { most, now, signal } = watched();
    const client = new ServiceClient({ apiKey: KEY, defaultLocalTools: false, fetch });
    const { completions } = client.chat;
    const calls: (() => Promise<unknown>)[] = [
      () => completions.create(QUESTION, { signal }),
      () => completions.run(QUESTION, { signal }),
      () => completions.stream(QUESTION, { signal }).final(),
      () => completions.runStream(QUESTION, { signal }).final(),
      async () => {
        for await (const _ of completions.stream(QUESTION, { signal })) break;
      },
      async () => {
        for await (const _ of completions.runStream(QUESTION, { signal })) break;
      },
      () => Promise.resolve(completions.stream(QUESTION, { signal }).toReadableStream()),
    ];
    for (const call of calls) {
      await call().catch(() => {});
      assertEquals(now(), 0);
    }
    assert(most() > 0);
  });
}

for (const method of ["run", "runStream"] as const) {
  Deno.test(`a signal ends ${method} while a tool runs, and the tool`, async () => {
    await using at = stalling({ calls: true });
    const controller = new AbortController();
    const reason = new Error("Not wanted any more");
    let heard: unknown;
    const slow = {
      name: "slow",
      parameters: {},
      execute: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => heard = signal.reason);
          controller.abort(reason);
        }),
    };
    const options = { tools: [slow], signal: controller.signal };
    const run = at.client.chat.completions[method](QUESTION, options);
    const error = await assertRejects(async () => await run, Error, "The run was stopped early");
    assertStrictEquals(error.cause, reason);
    assertStrictEquals(heard, reason);
  });
}

/** Functions that an application may provide as `fetch` and that ignore a signal. */
const DEAF: Readonly<Record<string, () => Promise<Response>>> = {
  "never answers": () => new Promise(() => {}),
  "answers without an end": () => Promise.resolve(new Response(new ReadableStream())),
  "refuses without an end": () =>
    Promise.resolve(new Response(new ReadableStream(), { status: 400 })),
};

for (const [name, deaf] of Object.entries(DEAF)) {
  for (const method of ["create", "stream", "run", "runStream"] as const) {
    Deno.test(`${method} ends in time and at a signal, where fetch ${name}`, async () => {
      const client = new ServiceClient({ apiKey: KEY, defaultLocalTools: false, fetch: deaf });
      const ask = async (options: CallOptions) =>
        await client.chat.completions[method](QUESTION, options);
      await assertRejects(() => ask({ timeoutMs: 20 }), ServiceTimeoutError);
      const reason = new Error("Enough");
      const controller = new AbortController();
      const answer = ask({ signal: controller.signal });
      setTimeout(() => controller.abort(reason), 5);
      assertStrictEquals(await answer.catch((error) => error), reason);
    });
  }
}

/** A response whose body never finishes its cancellation. */
function held(...pieces: readonly Uint8Array[]): Response {
  return new Response(
    new ReadableStream({
      start: (controller) => pieces.forEach((piece) => controller.enqueue(piece)),
      cancel: () => new Promise(() => {}),
    }),
  );
}

for (const method of ["stream", "runStream"] as const) {
  Deno.test(`${method} is over with its last event, however long its body takes to go`, async () => {
    const ask = async (...pieces: readonly Uint8Array[]) => {
      const { client } = scripted(() => held(...pieces));
      return await client.chat.completions[method](QUESTION);
    };
    await ask(frames(streamOf({ content: "Hi" })), encoder.encode("data: [DONE]\n\n"));
    const broken = frames([{ choices: [], error: { message: "Failed" } }]);
    await assertRejects(() => ask(broken), ServiceAPIError, "Failed");
  });
  for (const how of ["abort()", "its signal"]) {
    // The sanitizer sees a timer that is left.
    Deno.test(`${method} without a reader leaves no timer after ${how}`, async () => {
      const { client } = scripted(sse(...streamOf({ content: "Hello" })), { timeoutMs: 60_000 });
      const controller = new AbortController();
      const { signal } = controller;
      const stream = client.chat.completions[method](QUESTION, { signal });
      const events = stream[Symbol.asyncIterator]();
      for (let n = 0; n < 3; n++) await events.next();
      if (how === "abort()") stream.abort();
      else controller.abort();
    });
  }
}
