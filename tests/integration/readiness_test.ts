/**
 * `/readyz` fails, and says why, while no request could be served. What a full disk does to it is in
 * `full_disk_test.ts`.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";

/** Status of `/readyz`, the code and what it says. */
async function ready(service: TestService): Promise<readonly [number, string?, string?]> {
  const response = await fetch(`${service.running.publicUrl}/readyz`);
  const { error } = await response.json();
  return error === undefined
    ? [response.status]
    : [response.status, error.code, String(error.message)];
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function withFolder(run: (kvPath: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(join(folder, "svc.kv"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function ask(service: TestService): Promise<Response> {
  return service.chat({ messages: QUESTION, max_completion_tokens: 16 });
}

const KEYLESS = { apiKey: undefined, apiKeyEnv: "KEY_THAT_IS_NOT_SET" };

Deno.test("without an upstream that has credentials the service is not ready", async () => {
  const config = labConfig({ id: "only", baseUrl: "http://127.0.0.1:9/v1", upstream: KEYLESS });
  await using service = await TestService.start({ config });
  assertEquals(await ready(service), [503, "no_model_available", "No upstream has credentials"]);
  const answer = await ask(service);
  assertEquals(answer.status, 503);
  assertStringIncludes((await answer.json()).error.message, "has no credentials");
  const env = { KEY_THAT_IS_NOT_SET: "set-here" };
  await using other = await TestService.start({ config, env });
  assertEquals(await ready(other), [200]);
});

Deno.test("an upstream without credentials is left out before routing, with the reason", async () => {
  await using upstream = new FakeUpstream();
  upstream.otherwise(json(completion()));
  const { baseUrl } = upstream;
  const config = labConfig(
    { id: "best", baseUrl, quality: 0.9, upstream: KEYLESS },
    { id: "good", baseUrl, quality: 0.2 },
  );
  await using service = await TestService.start({ config });
  assertEquals(await ready(service), [200]);
  const answer = await ask(service);
  const { metadata } = await answer.json();
  const tried = metadata.routing.attempts.map(({ model }: { model: string }) => model);
  assertEquals(tried, ["good"]);
  const { exclusions = [], scores = [] } = await service.lastRequest();
  const reason = 'has no credentials at its upstream "at-best"';
  assertEquals(exclusions, [{ model: "best", stage: "available", reason }]);
  // The request's page calls those "in reserve" that have a score and were not asked.
  assert(scores.every(({ model }) => model !== "best"));
});

Deno.test("a store whose file is gone makes the service unready, and no call is answered", async () => {
  await withFolder(async (kvPath) => {
    await using upstream = new FakeUpstream();
    upstream.otherwise(json(completion()));
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    {
      await using service = await TestService.start({ config, kvPath });
      assertEquals(await ready(service), [200]);
      await Deno.rename(kvPath, `${kvPath}.aside`);
      await until(async () => (await ready(service))[0] === 503);
      assertEquals(await ready(service), [
        503,
        "store_unavailable",
        "The store's file was deleted, replaced or emptied",
      ]);
      const refused = await ask(service);
      assertEquals((await refused.json()).error.code, "store_unavailable");
      assertEquals(upstream.requests.length, 0);
      assertEquals(service.logs.filter(({ event }) => event === "store_gone").length, 1);
    }
    const start = () => TestService.start({ config, kvPath });
    assertStringIncludes((await assertRejects(start, Error)).message, "is missing or empty");
    await Deno.rename(`${kvPath}.aside`, kvPath);
    await using again = await start();
    assertEquals(await ready(again), [200]);
  });
});

Deno.test("a damaged row that was met makes the service unready, and is logged", async () => {
  await withFolder(async (kvPath) => {
    await using service = await TestService.start({ kvPath });
    const { key, id } = await service.newKey();
    const kv = await Deno.openKv(kvPath);
    await kv.set(["key", id], new TextEncoder().encode("{broken"));
    kv.close();
    assertEquals(await ready(service), [200]);
    const { stores } = service.running;
    await assertRejects(() => stores.keys.page({ limit: 9 }), Error, "damaged");
    assert(key !== "");
    const [status, code, message] = await ready(service);
    assertEquals([status, code], [503, "store_unavailable"]);
    assertStringIncludes(message ?? "", "damaged rows");
    assertEquals(service.logs.filter(({ event }) => event === "store_damaged").length, 1);
  });
});
