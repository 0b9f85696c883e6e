/**
 * Clients that stall: in headers, in a body, in reading. Others are served meanwhile, and every
 * resource is freed when they disconnect.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listen } from "../../gateway/http/listen.ts";
import { errorResponse, faultOf } from "../../gateway/http/error_response.ts";
import { readBytes } from "../../gateway/http/read_bytes.ts";
import { STALLED_READER_MS } from "../../gateway/flows/stream/answer_stream.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import { createSystemRng } from "../../gateway/system/rng.ts";
import { chunkText, labConfig, QUESTION } from "../fixtures/lab.ts";
import { dial, exchange, sendAll } from "../fixtures/raw_http.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../fixtures/service.ts";

const encoder = new TextEncoder();
const CHAT = JSON.stringify({ model: "auto", stream: true, messages: QUESTION });

function head(length: number | undefined): string {
  return "POST /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n" +
    `X-API-Key: ${BOOTSTRAP_KEY}\r\nContent-Type: application/json\r\n` +
    (length === undefined
      ? "Transfer-Encoding: chunked\r\n\r\n"
      : `Content-Length: ${length}\r\n\r\n`);
}

/** Beginnings of requests whose clients then stall. */
const HALVES: Readonly<Record<string, string>> = {
  "nothing": "",
  "half a request line": "POST /openai/v1/ch",
  "half the headers": head(5).slice(0, 90),
  "headers and no body": head(1_000),
  "half a body": head(CHAT.length) + CHAT.slice(0, 20),
  "half a long body": head(20_000_000) + CHAT.slice(0, 20),
  "half a chunk": `${head(undefined)}ff\r\n{"model"`,
  "no last chunk": `${head(undefined)}${CHAT.length.toString(16)}\r\n${CHAT}\r\n`,
};

/** Connections: the requirement is 1 000. */
const CLIENTS = 1_000;

Deno.test("a thousand clients that stop halfway do not prevent other requests", async () => {
  await using service = await TestService.start();
  const { gateway, publicUrl } = service.running;
  const halves = Object.values(HALVES);
  const connections: Deno.TcpConn[] = [];
  try {
    for (let n = 0; n < CLIENTS; n++) {
      const connection = await dial(publicUrl);
      connections.push(connection);
      await sendAll(connection, encoder.encode(halves[n % halves.length] ?? ""));
    }
    for (let n = 0; n < 20; n++) {
      const answer = await service.chat({ messages: QUESTION });
      assertEquals(answer.status, 200);
      await answer.body?.cancel();
    }
    // None of them is a request yet: no lease is taken and no credits are held.
    assertEquals(gateway.inFlight.count, 0);
    assertEquals(await service.running.stores.ledger.openHolds(), []);
  } finally {
    for (const connection of connections) connection.close();
  }
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
  await service.assertBooks();
});

Deno.test("a body that stops is refused with the error object, over a real connection", async () => {
  const rng = createSystemRng(systemClock);
  const app = {
    fetch: (request: Request) =>
      readBytes(request, { maxBytes: 1e9, patienceMs: 20 }).then(
        () => new Response("read"),
        (error) => errorResponse(faultOf(error), "req_1"),
      ),
  };
  const server = listen(app, { hostname: "127.0.0.1", port: 0, trustedProxies: [], rng });
  try {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const bodies = Object.entries(HALVES).slice(3);
    await Promise.all(bodies.map(async ([what, half]) => {
      const { statuses, text } = await exchange(url, half, { answers: 1 });
      assertEquals(statuses, [400], what);
      assertStringIncludes(text, "The body did not arrive in time", what);
      assertStringIncludes(text, '"code":"invalid_request"', what);
      assertStringIncludes(text.toLowerCase(), "connection: close", what);
    }));
  } finally {
    await server.shutdown();
  }
});

/** Sends events without end, as fast as they are read. */
class EndlessUpstream implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving: Promise<void>[] = [];
  readonly #accepting: Promise<void>;
  sentBytes = 0;
  open = 0;

  constructor() {
    this.#accepting = this.#accept();
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}/v1`;
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.open++;
      const serving = this.#serve(connection).catch(() => {}).finally(() => {
        this.open--;
        connection.close();
      });
      this.#serving.push(serving);
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    await connection.read(new Uint8Array(64 * 1024));
    const type = "Content-Type: text/event-stream";
    await sendAll(connection, encoder.encode(`HTTP/1.1 200 OK\r\n${type}\r\n\r\n`));
    const event = encoder.encode(`data: ${chunkText({ content: "x".repeat(16_000) })}\n\n`);
    for (;;) {
      await sendAll(connection, event);
      this.sentBytes += event.length;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting.catch(() => {});
    await Promise.all(this.#serving);
  }
}

Deno.test("readers that stall hold their upstreams back, and are left in the end, billed", async () => {
  let aheadMs = 0;
  const clock = {
    nowMs: () => systemClock.nowMs(),
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  await using upstream = new EndlessUpstream();
  // Its output must exceed all buffers, or the streams end before.
  const maxOutputTokens = 10_000_000;
  const more = { contextTokens: 2 * maxOutputTokens };
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, maxOutputTokens, more });
  await using service = await TestService.start({ config, clock });
  const { gateway, publicUrl, stores } = service.running;
  const connections: Deno.TcpConn[] = [];
  const readers = 8;
  try {
    for (let n = 0; n < readers; n++) {
      const connection = await dial(publicUrl);
      connections.push(connection);
      const body = JSON.stringify({ ...JSON.parse(CHAT), max_tokens: maxOutputTokens });
      await sendAll(connection, encoder.encode(head(body.length) + body));
    }
    await until(() => gateway.inFlight.count === readers, "the streams to begin");
    // They flow until every buffer is full, and then stall.
    let before = -1;
    await until(async () => {
      const same = upstream.sentBytes === before && before > 0;
      before = upstream.sentBytes;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return same;
    }, "the upstream to be held back");

    assert(upstream.sentBytes / readers < 24 * 1024 * 1024, `${upstream.sentBytes} bytes are kept`);
    assertEquals(upstream.open, readers);
    await until(() => {
      aheadMs += STALLED_READER_MS / 10;
      return gateway.inFlight.count === 0;
    }, "the readers to be left");
    await until(() => upstream.open === 0, "the upstream to be left");
    assertEquals(await stores.ledger.openHolds(), []);
    const { records } = await stores.log.search({ limit: readers });
    assertEquals(records.map(({ outcome }) => outcome), Array(readers).fill("client_left"));
    assert((await service.wallet()).spent > 0n);
  } finally {
    for (const connection of connections) connection.close();
  }
});
