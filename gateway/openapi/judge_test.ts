import { assertEquals, assertStringIncludes } from "@std/assert";
import { Judge } from "./judge_test_support.ts";

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-request-id": "req_1",
};
const WALLET = {
  id: "team",
  tier: "standard",
  credits: "1.000000",
  available: "1.000000",
  held: "0.000000",
  spent: "0.000000",
  writtenOff: "0.000000",
  lowBelow: "0.100000",
  lowBelowSet: false,
  low: false,
  closedAt: null,
};

const admin = new Judge("admin");

async function violations(
  judge: Judge,
  [method, path]: readonly [string, string],
  answer: Response,
): Promise<string> {
  const differences: string[] = [];
  const again = await judge.judged({ method, url: `http://localhost${path}` }, answer, differences);
  await again.body?.pipeTo(new WritableStream());
  return differences.join("; ");
}

function refusal(status: number, code: string, headers: HeadersInit = HEADERS): Response {
  const type = status === 503 ? "overloaded_error" : "invalid_request_error";
  const error = { message: "No", type, code, param: null, request_id: "req_1" };
  return Response.json({ error }, { status, headers });
}

Deno.test("an answer that matches its description passes, and keeps its bytes", async () => {
  const differences: string[] = [];
  const text = JSON.stringify(WALLET, null, 1);
  const request = { method: "GET", url: "http://localhost/admin/v1/wallets/team" };
  const again = await admin.judged(request, new Response(text, { headers: HEADERS }), differences);
  assertEquals([differences, await again.text()], [[], text]);
});

Deno.test("every difference from the description is reported", async () => {
  const wallet = ["GET", "/admin/v1/wallets/team"] as const;
  const json = (body: unknown, headers: HeadersInit = HEADERS) => Response.json(body, { headers });
  const cases: [string, readonly [string, string], Response][] = [
    ["additional", wallet, json({ ...WALLET, colour: "red" })],
    ["must match pattern", wallet, json({ ...WALLET, held: "0" })],
    ["required property 'spent'", wallet, json({ ...WALLET, spent: undefined })],
    ["x-mood is not described", wallet, json(WALLET, { ...HEADERS, "x-mood": "blue" })],
    ["X-Request-ID is missing", wallet, json(WALLET, { "cache-control": "no-store" })],
    [
      '"text/plain" is not described',
      wallet,
      new Response("x", {
        headers: { ...HEADERS, "content-type": "text/plain" },
      }),
    ],
    ["The status is not described", wallet, new Response(null, { status: 204 })],
    ["must be equal to one of the allowed values", wallet, refusal(404, "conflict")],
    ["The status is not described", wallet, refusal(409, "conflict")],
    ["Neither Retry-After", wallet, refusal(503, "store_unavailable")],
    ["add it to gateway/openapi/", ["GET", "/admin/v1/moods"], json({})],
    ['"conflict" is no code of it', ["GET", "/admin/v1/moods"], refusal(404, "conflict")],
    ["Allow is missing", ["PATCH", wallet[1]], refusal(405, "method_not_allowed")],
  ];
  for (const [complaint, at, answer] of cases) {
    assertStringIncludes(await violations(admin, at, answer), complaint);
  }
});

Deno.test("each event and each line of a stream is looked at", async () => {
  const lines = `{"progress":{"entries":1,"total":2}}\n{"result":{}}\n`;
  const answer = new Response(lines, {
    headers: { ...HEADERS, "content-type": "application/x-ndjson" },
  });
  const verify = ["GET", "/admin/v1/ledger/verify"] as const;
  assertStringIncludes(await violations(admin, verify, answer), '{"result":{}}');
  const events = 'data: {"choices":[]}\n\ndata: {"choices":7}\n\ndata: [DONE]\n\n';
  const stream = new Response(events, {
    headers: { "x-request-id": "req_1", "content-type": "text/event-stream" },
  });
  const chat = ["POST", "/openai/v1/chat/completions"] as const;
  assertStringIncludes(await violations(new Judge("public"), chat, stream), '{"choices":7}');
});
