/**
 * The rate of requests to files and vector stores, which is apart from the key's rate of model calls.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLessOrEqual } from "@std/assert";
import OpenAI from "openai";
import { ManualClock, TestService } from "../../fixtures/service.ts";

/** On PostgreSQL rates go by the database's clock, which no test moves. */
const BY_OWN_CLOCK = { ignore: Deno.env.get("TEST_STORE") !== undefined };
const QUESTION = { model: "auto", messages: [{ role: "user" as const, content: "Hello" }] };

function limitOf(headers: Headers | undefined): (string | null | undefined)[] {
  return ["limit", "remaining"].map((what) => headers?.get(`x-ratelimit-${what}-requests`));
}

async function refusalOf(call: () => Promise<unknown>): Promise<Headers> {
  try {
    await call();
  } catch (error) {
    assert(error instanceof OpenAI.RateLimitError, String(error));
    assertEquals(error.code, "rate_limit_exceeded");
    assert(error.headers !== undefined);
    return error.headers;
  }
  throw new Error("The call was not refused");
}

Deno.test("polls, uploads and searches count apart from model calls, and refusals say how long to wait", async () => {
  await using service = await TestService.start();
  const policy = { requestsPerMinute: 2, concurrentRequests: 1, files: { requestsPerMinute: 4 } };
  const { key } = await service.newKey({ policy });
  const client = service.client({ apiKey: key });
  const file = new File(["The lamp is green"], "lamp.txt");
  const created = await client.vectorStores.create({}).withResponse();
  assertEquals(limitOf(created.response.headers), ["4", "3"]);
  const upload = () => client.files.create({ file, purpose: "assistants" });
  const { id: fileId } = await upload();
  const unknown = await client.files.retrieve("file_none").catch((error) => error);
  assertEquals(limitOf(unknown.headers), ["4", "1"], "one that is not there counts too");
  await client.files.retrieve(fileId);
  const { id } = created.data;
  const refused = [
    () => client.files.retrieve(fileId),
    upload,
    () => client.files.list().then(),
    () => client.vectorStores.search(id, { query: "lamp" }),
    () => client.vectorStores.files.create(id, { file_id: fileId }),
  ];
  for (const call of refused) {
    const headers = await refusalOf(call);
    assertEquals(limitOf(headers), ["4", "0"]);
    const waitSeconds = Number(headers.get("retry-after"));
    assertGreater(waitSeconds, 0);
    assertLessOrEqual(waitSeconds, 65);
  }
  const answer = await client.chat.completions.create(QUESTION).withResponse();
  assertEquals(limitOf(answer.response.headers), ["2", "1"], "a model call has its own rate");
  const other = service.client({ apiKey: (await service.newKey({ policy })).key });
  const { response } = await other.files.list().withResponse();
  assertEquals(limitOf(response.headers), ["4", "3"], "another key has its own");
});

Deno.test("a refused client that waits for Retry-After goes on", BY_OWN_CLOCK, async () => {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock });
  const { key } = await service.newKey({ policy: { files: { requestsPerMinute: 1 } } });
  const client = service.client({ apiKey: key });
  const list = () => client.files.list().then();
  await list();
  clock.advance(10_000);
  const waitMs = Number((await refusalOf(list)).get("retry-after")) * 1_000;
  clock.advance(waitMs - 1_000);
  await refusalOf(list);
  clock.advance(1_000);
  await list();
});

Deno.test("without a policy a key makes ten requests a second, also to poll", async () => {
  await using service = await TestService.start();
  const { response } = await service.client().files.list().withResponse();
  assertEquals(limitOf(response.headers), ["600", "599"]);
});
