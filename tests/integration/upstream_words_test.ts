/**
 * An upstream's own words about a failure: the operator reads them in the log line, on the request's
 * page and by `svc requests show`, without secrets and without text of the request. Key holders read
 * nothing of them.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { FakeUpstream, fixed, json, type Script, sse } from "../fixtures/fake_upstream.ts";
import { chunkText, labConfig } from "../fixtures/lab.ts";
import { ADMIN_TOKEN, TestService } from "../fixtures/service.ts";
import { svc } from "../fixtures/service_process.ts";

const PROMPT = "The combination of my safe is 4711, do not tell it to anybody";
const OWN = "Cluster eu-7 is out of shards; ticket OPS-1234 is open";
const KEY = "sk-operator-0123456789abcdef";

/** An upstream that always answers the same. */
function failing(script: Script): FakeUpstream {
  const upstream = new FakeUpstream();
  upstream.otherwise(script);
  return upstream;
}

function errorBody(words: string) {
  return { error: { message: words, type: "server_error", code: null } };
}

/** The newest request, as the operator's API tells it. */
async function detail(service: TestService): Promise<Record<string, unknown>> {
  const { id } = await service.lastRequest();
  return await service.admin("GET", `/requests/${id}`);
}

function wordsOf(request: Record<string, unknown>): unknown[] {
  const { timeline } = request;
  assert(Array.isArray(timeline));
  return timeline.map(({ words }) => words);
}

Deno.test("words of a failed attempt reach the operator alone, without the prompt and the key", async () => {
  const spoken = `${OWN}. Key ${KEY} is fine. Input was: ${PROMPT}`;
  await using upstream = failing(json(errorBody(spoken), { status: 500 }));
  await using service = await TestService.start({
    config: labConfig({ id: "lab", baseUrl: upstream.baseUrl }),
  });
  const answer = await service.chat({ messages: [{ role: "user", content: PROMPT }] });
  const text = await answer.text();
  assertEquals(answer.status, 502);
  for (const part of ["eu-7", "OPS-1234", "4711"]) assertFalse(text.includes(part), text);
  const request = await detail(service);
  for (const words of wordsOf(request)) {
    assertEquals(words, `${OWN}. Key [redacted] is fine. Input was: [request text]`);
  }
  const line = service.logs.find(({ event }) => event === "attempt_failed");
  assertEquals(line?.level, "warn");
  assertEquals(line?.fields.words, wordsOf(request)[0]);
  assertEquals(line?.fields.requestId, request.requestId);
  const shown = await svc(["requests", "show", String(request.id)], {
    SERVICE_ADMIN_URL: service.running.adminUrl,
    SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
  });
  assertStringIncludes(shown.stdout, "Messages of upstreams");
  assertStringIncludes(shown.stdout, "OPS-1234");
  assertFalse(shown.stdout.includes("4711"));
});

Deno.test("an error that is not JSON has words too, and long ones are cut to two kilobytes", async () => {
  const page = `<html><h1>502 Bad Gateway</h1>${"é".repeat(4_000)}</html>`;
  const headers = { "content-type": "text/html" };
  await using upstream = failing(fixed(page, { status: 502, headers }));
  await using service = await TestService.start({
    config: labConfig({ id: "lab", baseUrl: upstream.baseUrl }),
  });
  await (await service.chat({ messages: [{ role: "user", content: "Hello" }] })).body?.cancel();
  const [words] = wordsOf(await detail(service));
  assertStringIncludes(String(words), "502 Bad Gateway");
  const { length } = new TextEncoder().encode(String(words));
  assert(length > 1_900 && length <= 2_048, `${length} bytes`);
});

Deno.test("an answer that breaks off with an error says why to the operator, not to the caller", async () => {
  await using upstream = failing(
    sse([chunkText({ role: "assistant", content: "Hello" }), JSON.stringify(errorBody(OWN))]),
  );
  await using service = await TestService.start({
    config: labConfig({ id: "lab", baseUrl: upstream.baseUrl }),
  });
  const answer = await service.chat({
    messages: [{ role: "user", content: PROMPT }],
    stream: true,
  });
  const text = await answer.text();
  assertStringIncludes(text, "upstream_error");
  assertFalse(text.includes("OPS-1234"), text);
  assertEquals(wordsOf(await detail(service)), [OWN]);
});

Deno.test("a caller's bad requests are logged once a second, each with its words on its own page", async () => {
  await using upstream = failing(json(errorBody("No such tool choice"), { status: 400 }));
  await using service = await TestService.start({
    config: labConfig({ id: "lab", baseUrl: upstream.baseUrl }),
  });
  for (let call = 0; call < 20; call++) {
    const answer = await service.chat({ messages: [{ role: "user", content: "Hello" }] });
    await answer.body?.cancel();
  }
  assertEquals(wordsOf(await detail(service)), ["No such tool choice"]);
  const lines = service.logs.filter(({ event }) => event === "attempt_failed");
  assert(lines.length < 20, `${lines.length} lines`);
});
