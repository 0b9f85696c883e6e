/**
 * Bodies that do not come to their end, and requests that are refused before their route.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import { faultOf } from "../../gateway/flows/request/fault_of.ts";
import { readBytes } from "../../gateway/http/read_bytes.ts";
import { errorResponse } from "../../gateway/http/error_response.ts";
import { type TestKey, TestService, until } from "../fixtures/service.ts";

/** Begins to send a request of 1 000 bytes, and sends six of them. */
async function beginUpload(service: TestService, key: TestKey): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(service.running.publicUrl);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [
    "POST /openai/v1/chat/completions HTTP/1.1",
    `Host: ${hostname}`,
    `Authorization: Bearer ${key.key}`,
    "Content-Type: application/json",
    "Content-Length: 1000",
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n{"a":1`));
  return connection;
}

/** The row of the request log with this status: a refusal does not wait for its own. */
async function rowOf(service: TestService, status: number): Promise<RequestRecord> {
  const rows: RequestRecord[] = [];
  await until(async () => {
    const query = { status: String(status), limit: 1 };
    rows.push(...(await service.running.stores.log.search(query)).records);
    return rows.length > 0;
  }, `a row with status ${status}`);
  const [row] = rows;
  assert(row !== undefined);
  return row;
}

const HI = { messages: [{ role: "user", content: "Hi" }] };

Deno.test("an upload in flight does not delay other requests of its key, and an interrupted one is not a bug", async () => {
  await using service = await TestService.start();
  const key = await service.newKey({ policy: { concurrentRequests: 1 } });
  const upload = await beginUpload(service, key);
  for (let n = 0; n < 3; n++) {
    const answer = await service.chat(HI, { key: key.key });
    assertEquals(answer.status, 200);
    await answer.body?.cancel();
    await service.quiet();
  }
  upload.close();
  const row = await rowOf(service, 499);
  assertEquals([row.outcome, row.keyId, row.errorCode], ["client_left", key.id, undefined]);
  assertEquals(service.logs.filter((line) => line.level === "error"), []);
});

Deno.test("a key used from a forbidden address leaves a row, or a line where no model was called", async () => {
  await using service = await TestService.start();
  const key = await service.newKey({ policy: { ipRanges: ["10.0.0.0/8"] } });
  const answer = await service.chat(HI, { key: key.key, headers: { "x-request-id": "mine" } });
  assertEquals(answer.status, 403);
  assertStringIncludes(await answer.text(), "from this address");
  const row = await rowOf(service, 403);
  assertEquals(
    [row.requestId, row.keyId, row.status, row.endpoint, row.errorCode, row.charged],
    ["mine", key.id, 403, "chat", "policy_denied", "0.000000"],
  );
  const headers = { authorization: `Bearer ${key.key}`, "x-request-id": "list" };
  const list = await fetch(`${service.running.publicUrl}/openai/v1/models`, { headers });
  assertEquals(list.status, 403);
  await list.body?.cancel();
  assertEquals(service.logs.filter((line) => line.event === "address_denied"), [{
    level: "warn",
    event: "address_denied",
    fields: { requestId: "list", keyId: key.id, remoteAddress: "127.0.0.1" },
  }]);
});

Deno.test("an incomplete body is answered, with the notice that the connection closes", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      readBytes(request, { maxBytes: 1e9, patienceMs: 20 }).then(
        () => new Response("read"),
        (error) => errorResponse(faultOf(error), "req_1"),
      ),
  );
  try {
    for (
      const length of ["Content-Length: 9", "Content-Length: 999999", "Transfer-Encoding: chunked"]
    ) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
      const head = `POST / HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`;
      await connection.write(new TextEncoder().encode(`${head}2\r\n`));
      const decoder = new TextDecoder();
      const buffer = new Uint8Array(4_096);
      let answer = "";
      while (!answer.includes("req_1")) {
        const read = await connection.read(buffer);
        assert(read !== null, answer);
        answer += decoder.decode(buffer.subarray(0, read));
      }
      assertStringIncludes(answer, "HTTP/1.1 400");
      assertStringIncludes(answer.toLowerCase(), "connection: close");
      assertStringIncludes(answer, "The body did not arrive in time");
    }
  } finally {
    await server.shutdown();
  }
});
