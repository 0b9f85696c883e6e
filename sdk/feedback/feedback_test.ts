import { assertEquals, assertRejects } from "@std/assert";
import { ConfigurationError, MissingAPIKeyError } from "../mod.ts";
import { json, scripted } from "../scripted_service_test.ts";

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
