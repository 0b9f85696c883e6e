import { assert, assertEquals, assertThrows } from "@std/assert";
import { AnswerReader, drive, median, requestBytes } from "./load.ts";
import { memoryFindings, residentGrowthFinding, table } from "./marks.ts";

const encoder = new TextEncoder();
const REQUEST = { url: "http://127.0.0.1:1/v1/x", headers: { a: "b" }, body: "{}", stream: false };

const JSON_ANSWER = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" +
  'content-length: 11\r\n\r\n{"a":"€"}';
const STREAM_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" +
  "transfer-encoding: chunked\r\n\r\n";
const STREAM_ANSWER = `${STREAM_HEAD}8\r\ndata: 1\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n`;

for (const [name, answer] of [["JSON", JSON_ANSWER], ["stream", STREAM_ANSWER]] as const) {
  Deno.test(`the reader finds the end of a ${name} answer, however it is cut`, () => {
    const bytes = encoder.encode(answer);
    for (const size of [1, 2, 7, 50, bytes.length]) {
      const reader = new AnswerReader(name === "stream");
      const ends: boolean[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        ends.push(reader.feed(bytes.subarray(at, at + size)));
      }
      assertEquals(ends.indexOf(true), ends.length - 1, `pieces of ${size}`);
    }
  });
}

for (
  const [why, answer, stream] of [
    ["status", "HTTP/1.1 402 Payment Required\r\ncontent-length: 0\r\n\r\n", false],
    ["no length", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", false],
    ["another kind", JSON_ANSWER, true],
    ["too long", `${JSON_ANSWER}!`, false],
    ["no [DONE]", `${STREAM_HEAD}8\r\ndata: 1\n\r\n0\r\n\r\n`, true],
  ] as const
) {
  Deno.test(`the reader refuses an answer: ${why}`, () => {
    assertThrows(() => new AnswerReader(stream).feed(encoder.encode(answer)), Error);
  });
}

Deno.test("a request is written with its length in bytes", () => {
  const text = new TextDecoder().decode(requestBytes({ ...REQUEST, body: "€" }));
  assert(text.startsWith("POST /v1/x HTTP/1.1\r\nhost: 127.0.0.1:1\r\n"), text);
  assert(text.includes("\r\ncontent-length: 3\r\na: b\r\n\r\n€"), text);
});

Deno.test("load is driven over keep-alive connections", async () => {
  const peers = new Set<number>();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request, { remoteAddr }) => {
      peers.add(remoteAddr.port);
      return Response.json(await request.json());
    },
  );
  const request = { ...REQUEST, url: `http://127.0.0.1:${server.addr.port}/v1/x` };
  const result = await drive(request, { connections: 3, requests: 12 });
  assertEquals(result.requests, 12);
  assertEquals(peers.size, 3);
});

Deno.test("marks are met and missed", () => {
  assertEquals(median([3, 1, 2]), 2);
  assertEquals(memoryFindings([100, 101, 102]).map(({ met }) => met), [true, true]);
  assertEquals(memoryFindings([100, 101, 149]).map(({ met }) => met), [true, false]);
  assertEquals(memoryFindings([151, 151, 151]).map(({ met }) => met), [false, true]);
});

Deno.test("a measurement that is impossible here is reported as skipped", () => {
  const findings = memoryFindings([undefined, undefined]);
  assertEquals(findings.map(({ met }) => met), [undefined]);
  assert(table(findings).includes("SKIPPED"));
});

Deno.test("a stream of Responses is whole with its last event, in however many pieces", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n";
  const end = "\r\n0\r\n\r\n";
  const whole = encoder.encode(`${head}event: response.completed\ndata: {}\n\n${end}`);
  for (let cut = 1; cut < whole.length; cut++) {
    const reader = new AnswerReader("responses");
    reader.feed(whole.subarray(0, cut));
    assert(reader.feed(whole.subarray(cut)));
  }
  const failed = encoder.encode(`${head}event: response.failed\ndata: {}\n\n${end}`);
  assertThrows(() => new AnswerReader("responses").feed(failed), Error, "response.completed");
});

Deno.test("memory under attack is flat up to its mark, and skipped where it is not shown", () => {
  const met = (before?: number, after?: number) =>
    residentGrowthFinding("readers", before, after).met;
  assertEquals([met(100, 120), met(100, 121), met(100, 90)], [true, false, true]);
  assertEquals([met(undefined, 100), met(100, undefined)], [undefined, undefined]);
});
