/**
 * Votes over HTTP: which requests they name, that they are stored once, and that routing follows them.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { FEEDBACK_PER_MINUTE } from "../../../gateway/domain/requests/feedback.ts";
import { json } from "../../fixtures/fake_upstream.ts";
import { ManualClock, TestService, WALLET } from "../../fixtures/service.ts";
import { FeedbackLab, type VoteReply } from "./lab.ts";

const DAY_MS = 86_400_000;

function assertRefused(reply: VoteReply, status: number, code: string): string {
  assertEquals([reply.status, reply.body.error?.code], [status, code], JSON.stringify(reply.body));
  return reply.body.error?.message ?? "";
}

Deno.test("votes change which model the next snapshot chooses, for that task only", async () => {
  await using lab = await FeedbackLab.start();
  const system = { role: "system", content: "You translate contracts" };
  const ask = (text: string) =>
    lab.ask(text, { more: { messages: [system, { role: "user", content: text }] } });
  const before = await ask("first");
  assertEquals([before.routing.model, before.routing.outcomes], ["cheap", 0]);
  for (let n = 0; n < 100; n++) {
    const { requestId, routing } = await ask(`clause ${n}`);
    assertEquals(routing.model, "cheap");
    assertEquals((await lab.vote({ request_id: requestId, score: 0 })).status, 200);
  }
  assertEquals((await ask("not yet")).routing.model, "cheap");
  await lab.take();
  // The dial's share of cost allows the dearer model for a part of the requests.
  const models = new Set<string>();
  for (let n = 0; n < 40; n++) {
    const { routing } = await ask(`later ${n}`);
    assertEquals(routing.snapshot, before.routing.snapshot + 1);
    models.add(routing.model);
    if (routing.model === "cheap") assert(routing.p < before.routing.p && routing.outcomes === 100);
  }
  assert(models.has("good"), "the model without bad votes is chosen too");
  assertEquals(lab.votesOn(WALLET, "cheap")?.weight, 100);
  const { wallet, key } = await lab.service.newKey();
  const other = await lab.ask("first", { key, more: { messages: [system] } });
  assertEquals([other.routing.model, lab.votesOn(wallet, "cheap")], ["cheap", undefined]);
});

Deno.test("a vote is repeated without an effect, and cannot be changed", async () => {
  await using lab = await FeedbackLab.start();
  const { requestId, routing } = await lab.ask("Hello");
  const vote = { request_id: requestId, score: 0.25, comment: "Too short" };
  const first = await lab.vote(vote);
  const { id } = await lab.service.lastRequest();
  assertEquals([first.status, first.body], [200, {
    success: true,
    data: { request_id: requestId, log_id: id, source: "caller", score: 0.25 },
  }]);
  assertMatch(first.headers.get("x-request-id") ?? "", /^req_/);
  assertEquals((await lab.vote({ ...vote, comment: "Again" })).body, first.body);
  // The id of the row names the same request.
  assertEquals((await lab.vote({ ...vote, request_id: id })).body, first.body);
  const changed = await lab.vote({ ...vote, score: 0.5 });
  assertRefused(changed, 409, "conflict");
  assertEquals(changed.headers.get("x-should-retry"), "false");
  const judge = await lab.vote({ ...vote, source: "judge", score: 1 });
  assertEquals(judge.body.data?.source, "judge");
  await lab.take();
  await lab.take();
  const sum = lab.votesOn(WALLET, routing.model);
  assertEquals([sum?.weight, sum?.bad], [2, 0.75]);
  const shown = await lab.service.admin("GET", `/requests/${id}`);
  assertEquals(
    (shown.feedback as { source: string; score: number; comment: string }[])
      .map(({ source, score, comment }) => [source, score, comment]),
    [["caller", 0.25, "Too short"], ["judge", 1, "Too short"]],
  );
});

Deno.test("an id of several requests is refused with the ids of their rows, which are taken", async () => {
  await using lab = await FeedbackLab.start();
  for (let n = 0; n < 3; n++) await lab.ask(`question ${n}`, { requestId: "mine" });
  const refused = await lab.vote({ request_id: "mine", score: 1 });
  const message = assertRefused(refused, 409, "conflict");
  assertEquals(refused.body.error?.param, "request_id");
  const ids = (refused.body.error?.log_ids ?? []) as string[];
  assertEquals(new Set(ids).size, 3);
  for (const id of ids) {
    assertMatch(id, /^log_/);
    assertStringIncludes(message, id);
    assertEquals((await lab.vote({ request_id: id, score: 1 })).body.data?.log_id, id);
    assertEquals((await lab.service.admin("GET", `/requests/${id}`)).id, id);
  }
});

Deno.test("of a failed request and its repetition, the answered one is meant", async () => {
  await using lab = await FeedbackLab.start();
  for (const upstream of lab.upstreams) {
    upstream.answer(json({ error: { message: "Broken" } }, { status: 500 }));
  }
  const headers = { "x-request-id": "again" };
  const body = { messages: [{ role: "user", content: "Hello" }] };
  const failed = await lab.service.chat(body, { headers });
  await failed.body?.cancel();
  assertEquals(failed.status, 502);
  await lab.service.lastRequest();
  const nothing = await lab.vote({ request_id: "again", score: 1 });
  assertStringIncludes(assertRefused(nothing, 409, "conflict"), "upstream_error");
  const { requestId } = await waitFor(() => lab.ask("Hello", { requestId: "again" }));
  assertEquals((await lab.vote({ request_id: requestId, score: 1 })).status, 200);
});

/** Repeats a call until the upstreams have cooled down. */
async function waitFor<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

Deno.test("a request of another wallet answers like one that does not exist", async () => {
  await using lab = await FeedbackLab.start();
  const [own, other] = [await lab.service.newKey(), await lab.service.newKey()];
  const { requestId } = await lab.ask("Hello", { key: own.key, requestId: "shared" });
  const { id } = await lab.service.lastRequest();
  const messages = new Set<string>();
  for (const request_id of [requestId, id, "none", "log_none", "req_none"]) {
    const reply = await lab.vote({ request_id, score: 0 }, other);
    messages.add(assertRefused(reply, 404, "not_found"));
  }
  assertEquals(messages.size, 1);
  // An id that another wallet uses too is not ambiguous.
  await lab.ask("Hello", { key: other.key, requestId: "shared" });
  assertEquals((await lab.vote({ request_id: "shared", score: 0 }, own)).body.data?.log_id, id);
  await lab.take();
  const models = ["good", "cheap"];
  assertEquals(models.map((model) => lab.votesOn(other.wallet, model)?.weight), [
    ...[undefined, undefined],
  ]);
  assertEquals(models.map((model) => lab.votesOn(own.wallet, model)?.weight ?? 0).toSorted(), [
    ...[0, 1],
  ]);
});

Deno.test("a vote is taken for 7 days", async () => {
  const clock = new ManualClock();
  await using lab = await FeedbackLab.start({ clock });
  const requests = [];
  for (const text of ["one", "two"]) requests.push(await lab.ask(text));
  clock.advance(7 * DAY_MS);
  const [one, two] = requests.map(({ requestId }) => ({ request_id: requestId, score: 1 }));
  assertEquals((await lab.vote(one)).status, 200);
  clock.advance(1);
  assertStringIncludes(assertRefused(await lab.vote(two), 404, "not_found"), "7 days");
  // Also the repetition of a vote: it could not be told from a new one for ever.
  assertRefused(await lab.vote(one), 404, "not_found");
});

Deno.test("a key may send so many votes a minute, another key its own", async () => {
  const clock = new ManualClock();
  await using lab = await FeedbackLab.start({ clock });
  const { requestId } = await lab.ask("Hello");
  const vote = { request_id: requestId, score: 1 };
  for (let n = 0; n < FEEDBACK_PER_MINUTE - 1; n++) {
    // Refused votes count as well.
    assertEquals((await lab.vote("{")).status, 400);
  }
  assertEquals((await lab.vote(vote)).status, 200);
  const refused = await lab.vote(vote);
  assertStringIncludes(assertRefused(refused, 429, "rate_limit_exceeded"), "120 votes");
  assert(Number(refused.headers.get("retry-after")) > 0);
  const { key } = await lab.service.newKey();
  assertRefused(await lab.vote(vote, { key }), 404, "not_found");
  clock.advance(66_000);
  assertEquals((await lab.vote(vote)).status, 200);
});

Deno.test("hostile votes are refused with their field, and stored votes hold no secret", async () => {
  await using lab = await FeedbackLab.start();
  const { requestId } = await lab.ask("Hello");
  const vote = { request_id: requestId, score: 1 };
  const bad: readonly [unknown, string | null][] = [
    ["{", null],
    ["[]", null],
    ['{"score":1,"score":0}', null],
    [{}, "request_id"],
    [{ score: 1 }, "request_id"],
    [{ request_id: 7, score: 1 }, "request_id"],
    [{ request_id: "", score: 1 }, "request_id"],
    [{ request_id: "x".repeat(129), score: 1 }, "request_id"],
    [{ request_id: requestId }, "score"],
    [{ ...vote, score: "1" }, "score"],
    [{ ...vote, score: -0.1 }, "score"],
    [{ ...vote, score: 1.1 }, "score"],
    [`{"request_id":${JSON.stringify(requestId)},"score":1e999}`, "score"],
    [{ ...vote, comment: "x".repeat(1_001) }, "comment"],
    [{ ...vote, comment: 1 }, "comment"],
    [{ ...vote, source: "" }, "source"],
    [{ ...vote, source: "x".repeat(65) }, "source"],
    [{ ...vote, wallet: "other" }, "wallet"],
  ];
  for (const [body, param] of bad) {
    const reply = await lab.vote(body);
    assertRefused(reply, 400, "invalid_request");
    assertEquals(reply.body.error?.param, param, JSON.stringify(body));
  }
  assertRefused(await lab.vote(`{"a":"${"x".repeat(17_000)}"}`), 413, "body_too_large");
  const headers = { "content-type": "text/plain" };
  assertRefused(await lab.vote(vote, { headers }), 415, "unsupported_media_type");
  assertRefused(await lab.vote(vote, { key: "" }), 401, "missing_api_key");
  const source = "__proto__ \u2028\ud83d\ude00";
  const comment = "My key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF leaked";
  assertEquals((await lab.vote({ ...vote, source, comment })).status, 200);
  const { id } = await lab.service.lastRequest();
  const { feedback } = await lab.service.admin("GET", `/requests/${id}`);
  const [shown] = feedback as { source: string; comment: string }[];
  assertEquals([shown?.source, shown?.comment], [source, "My key [redacted] leaked"]);
  const logged = JSON.stringify(lab.service.logs);
  assert(!logged.includes("leaked") && !logged.includes("__proto__"), logged);
});

Deno.test("a drawn request can be voted on, a refused one cannot", async () => {
  await using service = await TestService.start();
  const call = (path: string, body: unknown, id: string) =>
    fetch(service.running.publicUrl + path, {
      method: "POST",
      headers: {
        authorization: "Bearer svc_test_bootstrap_key",
        "content-type": "application/json",
        "x-request-id": id,
      },
      body: JSON.stringify(body),
    });
  const image = await call("/openai/v1/images/generations", {
    ...{ model: "auto", prompt: "A lighthouse", size: "256x256" },
  }, "image");
  await image.body?.cancel();
  const refused = await call("/openai/v1/chat/completions", { model: "other" }, "refused");
  await refused.body?.cancel();
  await service.lastRequest();
  const drawn = await call("/api/v1/feedback", { request_id: "image", score: 1 }, "vote");
  const { success, data } = await drawn.json();
  assertEquals([drawn.status, success], [200, true]);
  const [vote] = await service.running.stores.votes.of(data.log_id);
  assertEquals(vote?.load, 1, "as estimates for images have it");
  const reply = await call("/api/v1/feedback", { request_id: "refused", score: 1 }, "vote");
  const { error } = await reply.json();
  assertEquals([reply.status, error.code, error.request_id], [409, "conflict", "vote"]);
  assertStringIncludes(error.message, "model_not_allowed");
});
