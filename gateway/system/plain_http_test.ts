import { assertEquals, assertRejects } from "@std/assert";
import { createServer, type Server, type Socket } from "node:net";
import type { PlainAnswer } from "./plain_answer.ts";
import { PlainHttp } from "./plain_http.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
/** A caller that waits for ever. */
const stopping = { whenStopped: () => {} };

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

function textOf(answer: PlainAnswer): Promise<string> {
  return answer.fetched().text();
}

function post(plain: PlainHttp, url: URL) {
  return plain.send({ url, headers: {}, body: "{}", stopping });
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
  await assertRejects(() => post(plain, server.url), Error, "other side closed");
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

Deno.test("heads that come before the answer are skipped, also in pieces", async () => {
  const interim = "HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 103 Early Hints\r\na: b\r\n\r\n";
  await using server = await listen((socket, request) => {
    socket.setNoDelay(true);
    if (request === 1) return void socket.write(interim + OK);
    socket.write(interim.slice(0, 10));
    setTimeout(() => socket.write(interim.slice(10)), 20);
    setTimeout(() => socket.write(OK), 40);
  });
  const plain = new PlainHttp();
  for (let call = 0; call < 2; call++) {
    assertEquals(await textOf(await post(plain, server.url)), "hi");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  plain.close();
  assertEquals(server.seen, { requests: 2, connections: 1 });
});

Deno.test("a body that looks like such a head is left alone", async () => {
  const body = "HTTP/1.1 100 Continue\r\n\r\nhi";
  await using server = await listen((socket) => {
    socket.setNoDelay(true);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    setTimeout(() => socket.write(body), 20);
  });
  const plain = new PlainHttp();
  assertEquals(await textOf(await post(plain, server.url)), body);
  plain.close();
});

Deno.test("a connection that is refused is an error of the request alone", async () => {
  const url = await (async () => {
    await using server = await listen(() => {});
    return server.url;
  })();
  const plain = new PlainHttp();
  await assertRejects(() => post(plain, url), Error, "ECONNREFUSED");
  plain.close();
});

for (
  const [name, head, message] of [
    [
      "another protocol",
      "101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade",
      "bad upgrade",
    ],
    ["a flood of headers", `200 OK\r\n${"x: y\r\n".repeat(500)}a: b`, "too many headers"],
    ["no header", "200 OK\r\nno header", "Invalid header token"],
  ] as const
) {
  Deno.test(`a response with ${name} is an error`, async () => {
    await using server = await listen((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
    const plain = new PlainHttp();
    await assertRejects(() => post(plain, server.url), Error, message);
    plain.close();
  });
}

Deno.test("a stop ends the request, and the body of a response", async () => {
  await using server = await listen((socket, request) => {
    if (request === 2) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhi");
  });
  const plain = new PlainHttp();
  for (const hasHead of [false, true]) {
    const { promise: stop, resolve } = Promise.withResolvers<() => void>();
    const sent = plain.send({
      url: server.url,
      headers: {},
      body: "{}",
      stopping: { whenStopped: resolve },
    });
    if (!hasHead) setTimeout(async () => (await stop)(), 10);
    await assertRejects(async () => {
      const answer = await sent;
      (await stop)();
      await textOf(answer);
    });
  }
  plain.close();
});
