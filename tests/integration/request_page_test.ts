/**
 * The operator's API on requests that were really served: routes, books and tasks; content only of keys
 * that log it; rows as they come.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FakeUpstream, json, sse } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, streamed, usage } from "../fixtures/lab.ts";
import { askSplit, orchestrationLab } from "../fixtures/orchestrated.ts";
import { postResponse } from "../fixtures/responses_calls.ts";
import { ADMIN_TOKEN, TestService, until } from "../fixtures/service.ts";

const SECRETS = ["svc_live_planted0123456789", "sk-planted-0123456789", "4111 1111 1111 1111"];
const MAIL = "planted.person@example.com";

function lab(upstream: FakeUpstream): Promise<TestService> {
  return TestService.start({
    config: labConfig({ id: "small", baseUrl: upstream.baseUrl }, {
      id: "large",
      baseUrl: upstream.baseUrl,
      quality: 0.9,
    }),
  });
}

const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** As `Response.json` has it: tests look into it freely. */
async function read(service: TestService, path: string): ReturnType<Response["json"]> {
  const { adminUrl } = service.running;
  const response = await fetch(`${adminUrl}/admin/v1${path}`, { headers: HEADERS });
  return await response.json();
}

async function newest(service: TestService): ReturnType<Response["json"]> {
  const { requests } = await read(service, "/requests?limit=1");
  return await read(service, `/requests/${requests[0].id}`);
}

Deno.test("a request's page tells its route, its attempts in time and what the books say", async () => {
  await using upstream = new FakeUpstream();
  await using service = await lab(upstream);
  upstream.answer(json({ error: { message: "no" } }, { status: 500 }));
  upstream.answer(json(completion({ usage: usage(10, 5) })));
  const { key } = await service.newKey();
  const response = await service.chat({ messages: [{ role: "user", content: "Hi" }] }, { key });
  const { metadata } = await response.json();
  const page = await newest(service);
  assertEquals(page.scores.length, 2);
  assertEquals(page.timeline.map(({ outcome }: { outcome: string }) => outcome), [
    "server_error",
    "ok",
  ]);
  const [first, second] = page.timeline;
  assert(first.startMs >= 0 && second.startMs >= first.startMs + first.ms);
  const { settlement } = page;
  assertEquals([settlement.complete, settlement.charged], [true, metadata.billing.charged]);
  assertEquals(settlement.holds.map(({ state }: { state: string }) => state), [
    "voided",
    "settled",
  ]);
  assertEquals(settlement.holds[1].charged, metadata.billing.charged);
  assertEquals(settlement.entries.map(({ kind }: { kind: string }) => kind), [
    "hold",
    "void",
    "hold",
    "settle",
  ]);
  assertEquals([page.tasks, page.content], [null, null]);
});

Deno.test("the page of a split request has its tasks with their costs, without their content", async () => {
  await using at = await orchestrationLab();
  const { service } = at;
  const { key } = await service.newKey();
  await (await askSplit(service, { stream: false, key })).body?.cancel();
  const page = await newest(service);
  const ids = page.tasks.map(({ taskId }: { taskId: string }) => taskId);
  assertEquals([ids[0], ids.at(-1), ids.length], ["plan", "final", 5]);
  const micros = page.tasks.map((task: { charged: string }) =>
    Math.round(Number(task.charged) * 1e6)
  );
  const sum = micros.reduce((all: number, one: number) => all + one, 0);
  assertEquals(sum, Math.round(Number(page.charged) * 1e6));
  assert(micros.every((charged: number) => charged > 0));
  assertEquals(page.settlement.complete, true);
  assertEquals(page.settlement.holds.length, 5);
  const titles = page.tasks.filter((task: Record<string, unknown>) => "title" in task);
  assertEquals(titles, []);
  assert(page.timeline.some(({ task }: { task: string | null }) => task === "plan"));
});

Deno.test("content is stored only for a key that logs it, without secrets", async () => {
  await using upstream = new FakeUpstream();
  await using service = await lab(upstream);
  const question = `Question from ${MAIL}: ${SECRETS.join(" and ")}`;
  const reply = `Answer for ${MAIL}: ${SECRETS.join(" or ")}`;
  const ask = async (key: string) => {
    const messages = [{ role: "user", content: question }];
    upstream.answer(json(completion({}, { content: reply })));
    await (await service.chat({ messages }, { key })).text();
    const pages = [await newest(service)];
    const words = reply.match(/.{1,7}/g) ?? [];
    upstream.answer(sse(streamed(words, usage(9, 9))));
    await (await service.chat({ messages, stream: true }, { key })).text();
    pages.push(await newest(service));
    upstream.answer(json(completion({}, { content: reply })));
    await (await postResponse(service, { input: question, store: false }, { key })).text();
    pages.push(await newest(service));
    return pages;
  };
  const plain = await service.newKey();
  for (const page of await ask(plain.key)) assertEquals(page.content, null);
  const logged = await service.newKey();
  await service.admin("POST", `/keys/${logged.id}/content-log`, { on: true });
  for (const { content } of await ask(logged.key)) {
    assertStringIncludes(content.prompt, "Question from [redacted]: [redacted] and");
    assertStringIncludes(content.answer, "Answer for [redacted]: [redacted] or");
    assertEquals(content.isCut, false);
    for (const secret of [...SECRETS, MAIL]) assert(!JSON.stringify(content).includes(secret));
  }
  const list = JSON.stringify(await read(service, "/requests"));
  assert(!list.includes("Question") && !list.includes("Answer"));
  await service.admin("POST", `/keys/${logged.id}/content-log`, { on: false });
  for (const page of await ask(logged.key)) assertEquals(page.content, null);
});

Deno.test("long content is kept up to a bound", async () => {
  await using upstream = new FakeUpstream();
  await using service = await lab(upstream);
  const { id, key } = await service.newKey();
  await service.admin("POST", `/keys/${id}/content-log`, { on: true });
  upstream.answer(json(completion({}, { content: '"\n'.repeat(30_000) })));
  const messages = [{ role: "user", content: "学".repeat(30_000) }];
  await (await service.chat({ messages }, { key })).text();
  const { content } = await newest(service);
  assertEquals(content.isCut, true);
  for (const text of [content.prompt, content.answer]) {
    const bytes = new TextEncoder().encode(JSON.stringify(text)).length;
    assert(bytes <= 16 * 1024 && bytes > 15 * 1024, `${bytes}`);
  }
});

Deno.test("a tail tells rows as they come, and ends with the service", async () => {
  await using upstream = new FakeUpstream();
  await using service = await lab(upstream);
  const { key, id } = await service.newKey();
  const other = await service.newKey();
  const { adminUrl } = service.running;
  const response = await fetch(`${adminUrl}/admin/v1/requests/tail?key=${id}`, {
    headers: HEADERS,
  });
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  const reading = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
    }
  })();
  upstream.otherwise(json(completion()));
  const messages = [{ role: "user", content: "Hi" }];
  await (await service.chat({ messages }, { key: other.key })).text();
  await (await service.chat({ messages }, { key })).text();
  await until(() => text.includes("event: request"), "the row to be sent");
  const rows = text.split("\n").filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
  assertEquals(rows.map((row) => row.key), [id]);
  await service.running.stop();
  await reading;
});
