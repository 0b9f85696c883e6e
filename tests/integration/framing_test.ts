/**
 * Requests that two readers could read as different ones: each is read in one way, or refused, and
 * none ends the service. The bodies carry a second request that must never be answered.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { connect } from "node:http2";
import { exchange } from "../fixtures/raw_http.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const CANARY = "smuggled-request";
/** A request hidden in a body, which an answer to it would reveal. */
const HIDDEN =
  `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: ${CANARY}\r\nConnection: close\r\n\r\n`;
const CHAT = JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Hi" }] });
const HEAD = "POST /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n" +
  `X-API-Key: ${BOOTSTRAP_KEY}\r\nContent-Type: application/json\r\n`;
const GET = "GET /healthz HTTP/1.1\r\n";

function chunked(text: string, extension = ""): string {
  return `${text.length.toString(16)}${extension}\r\n${text}\r\n0\r\n\r\n`;
}

function length(value: string | number, body = CHAT): string {
  return `${HEAD}Connection: close\r\nContent-Length: ${value}\r\n\r\n${body}`;
}

function coded(codings: readonly string[], body = chunked(CHAT)): string {
  const lines = codings.map((coding) => `Transfer-Encoding: ${coding}\r\n`).join("");
  return `${HEAD}Connection: close\r\n${lines}\r\n${body}`;
}

function target(line: string, host = "localhost"): string {
  return `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

function headed(...lines: string[]): string {
  return `${GET}Host: localhost\r\nConnection: close\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** Messages by what they are; each has the one status that answers it. 0: no answer, it is cut. */
const MESSAGES: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  200: {
    "a length": length(CHAT.length),
    "chunks": coded(["chunked"]),
    "chunks in capitals": coded(["Chunked"]),
    "a chunk extension": coded(["chunked"], chunked(CHAT, ";a=b")),
    "trailers that name another key": coded(
      ["chunked"],
      chunked(CHAT).replace(/\r\n\r\n$/, "\r\nX-API-Key: other\r\n\r\n"),
    ),
    "lines that end in LF alone": headed("X-A: b").replaceAll("\r\n", "\n"),
    "the whole address as target": target("GET http://localhost/healthz"),
    "a host with the port that needs no saying": target("GET /healthz", "localhost:80"),
    "a host in capitals": target("GET /healthz", "LocalHost"),
    "an address of IPv6": target("GET /healthz", "[::1]:8787"),
    "only a query": target("GET /healthz?", "localhost"),
  },
  400: {
    "a length and chunks": coded(["chunked"]).replace("Transfer", "Content-Length: 5\r\nTransfer"),
    "chunks and a length": coded(["chunked\r\nContent-Length: 5"]),
    "two lengths": length(`${CHAT.length}\r\nContent-Length: 3`, CHAT + HIDDEN),
    "a list of lengths": length(`${CHAT.length}, ${CHAT.length}`),
    "a length with a sign": length(`+${CHAT.length}`),
    "a length below 0": length(-1),
    "a length in hexadecimal": length("0x10"),
    "a length beyond all numbers": length("9".repeat(30)),
    "a space before the colon": length(5).replace("Content-Length:", "Content-Length :"),
    "another coding before chunks": coded(["gzip, chunked"]),
    "identity before chunks": coded(["identity, chunked"]),
    "another coding after chunks": coded(["chunked, identity"]),
    "an unknown coding": coded(["xchunked"]),
    "a coding that is nearly chunked": coded(["\x0bchunked"]),
    "chunks twice": coded(["chunked", "chunked"]),
    "chunks in HTTP/1.0": coded(["chunked"]).replace("HTTP/1.1", "HTTP/1.0"),
    "a line that goes on in the next": headed("X-A: b\r\n c"),
    "NUL in a header": headed("X-A: a\0b"),
    "a header without a colon": headed("X-A"),
    "CR in a header": headed("X-A: a\rX-B: b"),
    "two hosts": headed("Host: localhost"),
    "no host": `${GET}Connection: close\r\n\r\n`,
    "another host in the target": target("GET http://evil.example/healthz"),
    "a user in the target": target("GET http://me@localhost/healthz"),
    "another scheme in the target": target("GET https://localhost/healthz"),
    "another port in the target": target("GET http://localhost:99/healthz"),
    "a tunnel": target("CONNECT 127.0.0.1:22"),
    "a target without a slash": target("GET healthz"),
    "a backslash": target("GET \\healthz"),
    "a target of 9 000 characters": target(`GET /healthz?${"x".repeat(9_000)}`),
    "a target of 70 000 characters": target(`GET /healthz?${"x".repeat(70_000)}`),
    "129 headers": headed(...Array.from({ length: 127 }, (_, n) => `X-${n}: a`)),
    "a header of 70 kB": headed(`X-A: ${"a".repeat(70_000)}`),
    "a header of 4 MB": headed(`X-A: ${"a".repeat(4_000_000)}`),
    "HTTP/0.9": "GET /healthz\r\n\r\n",
    "HTTP/3.0": target("GET /healthz").replace("HTTP/1.1", "HTTP/3.0"),
    "a greeting of TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\x7c\x03\x03",
    "an extension without end": coded(["chunked"], chunked(CHAT, `;${"x".repeat(100_000)}`)),
  },
  404: {
    "a tunnel to itself": target("CONNECT localhost", "localhost"),
    "a target of everything": target("OPTIONS *"),
    "a host in the path": target("GET //evil.example/healthz"),
    "the admin API in the target": target("GET http://localhost/admin/v1/keys"),
    "TRACE": target("TRACE /"),
  },
  0: {
    "a chunk beyond all numbers": coded(["chunked"], `${"f".repeat(17)}\r\n${CHAT}\r\n0\r\n\r\n`),
    "a chunk below 0": coded(["chunked"], `-1\r\n${CHAT}\r\n0\r\n\r\n`),
    "LF in an extension": coded(["chunked"], chunked(CHAT, ";a\nb")),
  },
};

Deno.test("an ambiguous message is read in one way or refused", async (t) => {
  await using service = await TestService.start();
  const { publicUrl } = service.running;
  for (const [status, messages] of Object.entries(MESSAGES)) {
    for (const [name, message] of Object.entries(messages)) {
      await t.step(`${name}: ${status}`, async () => {
        const { statuses, text } = await exchange(publicUrl, message);
        assertEquals(statuses, status === "0" ? [] : [Number(status)], text);
        assert(!text.includes(CANARY), text);
      });
    }
  }
  // What was refused had no price.
  assertEquals(service.logs.filter(({ level }) => level === "error"), []);
  await service.assertBooks();
});

Deno.test("bytes after a body are a separate request, for a read and an unread body", async () => {
  await using service = await TestService.start();
  const { publicUrl } = service.running;
  const last = HIDDEN.replace(CANARY, "the-last");
  const keyless = HEAD.replace(/X-API-Key.*\r\n/, "");
  const rows: [string, number[]][] = [
    [`${HEAD}Content-Length: ${CHAT.length}\r\n\r\n${CHAT}${last}`, [200, 200]],
    [`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunked(CHAT)}${last}`, [200, 200]],
    // Refused before the body is read: its bytes are still no request.
    [`${keyless}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}${last}`, [401, 200]],
    [`${keyless}Transfer-Encoding: chunked\r\n\r\n${chunked(HIDDEN)}${last}`, [401, 200]],
    [`${GET}Host: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}${last}`, [
      200,
      200,
    ]],
  ];
  for (const [message, expected] of rows) {
    const { statuses, text } = await exchange(publicUrl, message);
    assertEquals(statuses, expected, text);
    assertStringIncludes(text, "x-request-id: the-last");
    assert(!text.includes(CANARY), text);
  }
  // Far too long to be read to its end, and full of requests.
  const flood = HIDDEN.repeat(Math.ceil(40 * 1024 * 1024 / HIDDEN.length));
  const declared = `${HEAD}Content-Length: ${flood.length}\r\n\r\n${flood}`;
  for (const message of [declared, `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunked(flood)}`]) {
    const { statuses, text } = await exchange(publicUrl, message, { answers: 1 });
    assertEquals(statuses, [413]);
    assert(!text.includes(CANARY));
  }
});

Deno.test("a request for another protocol is answered in HTTP, on this connection", async () => {
  await using service = await TestService.start();
  const { publicUrl } = service.running;
  for (const protocol of ["websocket", "h2c", "TLS/1.0"]) {
    const message = `${GET}Host: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    const { statuses, text } = await exchange(publicUrl, message, { answers: 1 });
    assertEquals(statuses, [200], protocol);
    assertStringIncludes(text, '{"status":"ok"}');
  }
});

Deno.test("HTTP/2 in the clear is held to the Host header too", async () => {
  await using service = await TestService.start();
  const { publicUrl } = service.running;
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const session = connect(publicUrl);
      session.on("error", reject);
      const request = session.request({ ":path": "/healthz", ...headers });
      let status = 0;
      request.on("response", (answer) => status = Number(answer[":status"]));
      request.on("error", reject);
      request.on("end", () => session.close(() => resolve(status)));
      request.resume();
      request.end();
    });
  assertEquals(await ask({}), 400);
  assertEquals(await ask({ ":authority": "evil.example", host: "localhost" }), 400);
});
