import { assertEquals, assertRejects } from "@std/assert";
import { createServer, type Server, type Socket } from "node:net";
import type { IncomingMessage } from "node:http";
import { PlainHttp } from "./plain_http.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
const signal = new AbortController().signal;

/** A server of sockets: `answer` is called with each request and its number, from 1. */
async function listen(answer: (socket: Socket, request: number) => void) {
  const seen = { requests: 0, connections: 0 };
  const server: Server = createServer((socket) => {
    seen.connections += 1;
    socket.on("error", () => {});
    socket.on("data", () => answer(socket, ++seen.requests));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return {
    seen,
    url: new URL(`http://127.0.0.1:${address.port}/v1?a=b`),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  };
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of message) text += piece;
  return text;
}

function post(plain: PlainHttp, url: URL) {
  return plain.send({ url, headers: {}, body: "{}", signal });
}

Deno.test("a connection is used again", async () => {
  await using server = await listen((socket) => socket.write(OK));
  const plain = new PlainHttp();
  for (let call = 0; call < 3; call++) {
    assertEquals(await textOf(await post(plain, server.url)), "hi");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  plain.close();
  assertEquals(server.seen, { requests: 3, connections: 1 });
});

Deno.test("a request is sent once, also where a kept connection dies under it", async () => {
  await using server = await listen((socket, request) => {
    if (request === 1) socket.write(OK);
    else socket.destroy();
  });
  const plain = new PlainHttp();
  await textOf(await post(plain, server.url));
  await new Promise((resolve) => setTimeout(resolve, 10));
  await assertRejects(() => post(plain, server.url), Error, "socket hang up");
  plain.close();
  assertEquals(server.seen, { requests: 2, connections: 1 });
});

Deno.test("the limit of idle connections ends no response that pauses", async () => {
  await using server = await listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi");
    setTimeout(() => socket.write("ho"), 200);
  });
  const plain = new PlainHttp({ poolIdleTimeout: 30 });
  assertEquals(await textOf(await post(plain, server.url)), "hiho");
  plain.close();
});

for (
  const [name, head, message] of [
    [
      "another protocol",
      "101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade",
      "protocols",
    ],
    ["a flood of headers", `200 OK\r\n${"x: y\r\n".repeat(500)}a: b`, "too many headers"],
    ["no header", "200 OK\r\nno header", "Parse Error"],
  ] as const
) {
  Deno.test(`a response with ${name} is an error`, async () => {
    await using server = await listen((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
    const plain = new PlainHttp();
    await assertRejects(() => post(plain, server.url), Error, message);
    plain.close();
  });
}

Deno.test("an abort ends the request, and the body of a response", async () => {
  await using server = await listen((socket, request) => {
    if (request === 2) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi");
  });
  const plain = new PlainHttp();
  for (const hasHead of [false, true]) {
    const abort = new AbortController();
    const sent = plain.send({ url: server.url, headers: {}, body: "{}", signal: abort.signal });
    if (!hasHead) setTimeout(() => abort.abort(), 10);
    await assertRejects(async () => {
      const message = await sent;
      abort.abort();
      await textOf(message);
    });
  }
  plain.close();
});
