import { assert, assertEquals } from "@std/assert";
import { createSystemRng } from "../system/rng.ts";
import { systemClock } from "../system/clock.ts";
import { listen } from "./listen.ts";
import { dropBody, DROPPED_AT_ONCE_MAX } from "./unread_body.ts";

const PIECE = new Uint8Array(64 * 1024);
const LENGTH = 60 * PIECE.length;

/** A body that comes as fast as it is read. */
function ready(onPiece: () => void, pieces: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const request = controller.byobRequest;
      if (pieces-- === 0) {
        controller.close();
        return request?.respond(0);
      }
      onPiece();
      if (request === null) controller.enqueue(new Uint8Array(1));
      else request.respond(request.view?.byteLength ?? 0);
    },
  });
}

function post(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | string,
  headers: HeadersInit,
): Request {
  return new Request("http://x/", { method: "POST", body, headers });
}

const CHUNKED = { "transfer-encoding": "chunked" };

Deno.test("the remains of bodies are read one after the other, a few pieces per turn", async () => {
  let read = 0;
  let most = 0;
  let before = 0;
  const watch = setInterval(() => {
    most = Math.max(most, read - before);
    before = read;
  });
  try {
    const bodies = Array.from({ length: 8 }, () => ready(() => void read++, 60));
    await Promise.all(bodies.map((body) => dropBody(post(body, CHUNKED))));
  } finally {
    clearInterval(watch);
  }
  most = Math.max(most, read - before);
  assertEquals(read, 8 * 60);
  // Each reads a turn's worth before it stands in the line: 32 pieces, and then 4 in a turn.
  assert(most <= 120, `${most} pieces in one turn`);
});

Deno.test("only long bodies without a reader are dropped", async () => {
  const length = { "content-length": `${LENGTH}` };
  assertEquals(dropBody(post("{}", { "content-length": "2" })), undefined);
  assertEquals(dropBody(new Request("http://x/", { headers: length })), undefined);
  const reading = post(ready(() => {}, 1), length);
  const reader = reading.body?.getReader();
  assertEquals(dropBody(reading), undefined);
  await reader?.cancel();
  const read = post(ready(() => {}, 1), length);
  await read.bytes();
  await dropBody(read);
  // What breaks off is dropped too.
  const gone: ReadableStream<Uint8Array<ArrayBuffer>> = new ReadableStream({
    type: "bytes",
    pull: (controller) => controller.error(new Deno.errors.BadResource("gone")),
  });
  await dropBody(post(gone, CHUNKED));
});

Deno.test("so many bodies are dropped at once, and those that do not come are not waited for", async () => {
  const ends: (() => void)[] = [];
  const stuck = () =>
    post(
      new ReadableStream({
        type: "bytes",
        start: (controller) => void ends.push(() => controller.error(new Error("gone"))),
      }),
      CHUNKED,
    );
  const waits = Array.from({ length: DROPPED_AT_ONCE_MAX }, () => dropBody(stuck()));
  assert(waits.every((wait) => wait !== undefined));
  assertEquals(dropBody(stuck()), undefined);
  await Promise.all(waits);
  // They are still being read.
  assertEquals(dropBody(stuck()), undefined);
  for (const end of ends) end();
  await new Promise((resolve) => setTimeout(resolve));
  await dropBody(post(ready(() => {}, 1), CHUNKED));
});

Deno.test("a connection stays usable after a long body was refused", async () => {
  const status = (request: Request) => new URL(request.url).pathname === "/good" ? 200 : 413;
  const app = { fetch: (request: Request) => new Response("said", { status: status(request) }) };
  const server = listen(app, {
    hostname: "127.0.0.1",
    port: 0,
    trustedProxies: [],
    rng: createSystemRng(systemClock),
  });
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
    const send = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    };
    const text = (value: string) => send(new TextEncoder().encode(value));
    const head = (path: string, body: string) =>
      `POST /${path} HTTP/1.1\r\nHost: localhost\r\n${body}\r\n\r\n`;
    await text(head("long", `Content-Length: ${LENGTH}`));
    for (let sent = 0; sent < LENGTH; sent += PIECE.length) await send(PIECE);
    await text(head("chunks", "Transfer-Encoding: chunked"));
    for (let sent = 0; sent < LENGTH; sent += PIECE.length) {
      await text(`${PIECE.length.toString(16)}\r\n`);
      await send(PIECE);
      await text("\r\n");
    }
    await text(`0\r\n\r\n${head("good", "Content-Length: 0\r\nConnection: close")}`);
    const answers = await new Response(connection.readable).text();
    const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, code]) => code);
    assertEquals(statuses, ["413", "413", "200"]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a refusal of a long body that was read to its end is answered at once", async () => {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const reader = request.body?.getReader();
    while ((await reader?.read())?.done === false);
    reader?.releaseLock();
    await dropBody(request, 1_000_000);
    return new Response("refused", { status: 400 });
  });
  try {
    const { hostname, port } = server.addr;
    const answer = await fetch(`http://${hostname}:${port}/`, {
      method: "POST",
      body: new Uint8Array(LENGTH),
      signal: AbortSignal.timeout(20_000),
    });
    assertEquals(await answer.text(), "refused");
  } finally {
    await server.shutdown();
  }
});
