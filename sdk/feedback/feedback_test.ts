import { assertEquals, assertRejects } from "@std/assert";
import { ConfigurationError, MissingAPIKeyError, ServiceAPIError } from "../mod.ts";
import { json, scripted } from "../scripted_service_test.ts";

const VOTE = { request_id: "req_1", log_id: "log_1", source: "caller", score: 1 };

Deno.test("a vote is sent with the names of the wire, and its answer has the id of the call", async () => {
  const answer = { success: true, data: VOTE };
  const { client, sent } = scripted(json(answer, { headers: { "x-request-id": "req_vote" } }));
  const first = await client.feedback({ requestId: "req_1", score: 1 });
  assertEquals(first, { success: true, data: VOTE, requestId: "req_vote" });
  const more = { comment: "Too long", source: "judge" };
  await client.feedback({ requestId: "req_1", score: 0.25, ...more }, { requestId: "mine" });
  assertEquals(sent.map(({ method, url }) => `${method} ${url}`), [
    ...["POST http://svc.test/api/v1/feedback", "POST http://svc.test/api/v1/feedback"],
  ]);
  assertEquals(sent.map(({ text }) => JSON.parse(text)), [
    { request_id: "req_1", score: 1 },
    { request_id: "req_1", score: 0.25, ...more },
  ]);
  assertEquals(sent.map(({ headers }) => headers.get("x-request-id")), [null, "mine"]);
});

Deno.test("a vote without an id, with an unknown member or without a key is not sent", async () => {
  const { client, sent } = scripted(json({}));
  for (const requestId of [undefined, ""]) {
    await assertRejects(
      () => client.feedback({ requestId, score: 1 }),
      ConfigurationError,
      "requestId is missing",
    );
  }
  const odd = JSON.parse('{"requestId":"a","score":1,"vote":"up"}');
  await assertRejects(() => client.feedback(odd), ConfigurationError, '"vote"');
  const text = JSON.parse('{"requestId":"a","score":"1"}');
  await assertRejects(() => client.feedback(text), ConfigurationError, "score");
  const other = scripted(json({}), { apiKey: "" });
  await assertRejects(
    () => other.client.feedback({ requestId: "a", score: 1 }),
    MissingAPIKeyError,
  );
  assertEquals([...sent, ...other.sent], []);
});

Deno.test("an answer of another service is not taken for a vote", async () => {
  const { client } = scripted(json({ status: "ok" }));
  await assertRejects(
    () => client.feedback({ requestId: "a", score: 1 }),
    ServiceAPIError,
    "something else than the vote",
  );
});
