/**
 * Guessing of keys over HTTP is slowed down on both listeners, while valid users of the same
 * address are served, and only trusted proxies can name the address.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION } from "../fixtures/lab.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, ManualClock, TestService } from "../fixtures/service.ts";
import { ServiceProcess } from "../fixtures/service_process.ts";

const LIMIT = 5;

async function lab(badKeysPerMinute = LIMIT) {
  const upstream = new FakeUpstream();
  upstream.otherwise(json(completion()));
  const clock = new ManualClock();
  const config = {
    ...labConfig({ id: "only", baseUrl: upstream.baseUrl }),
    limits: { badKeysPerMinute },
  };
  const service = await TestService.start({ config, clock });
  return {
    service,
    clock,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Status, error code and Retry-After of a model call with a key. */
async function call(service: TestService, key: string) {
  const response = await service.chat({ messages: QUESTION }, { key });
  const { error } = await response.json();
  return [response.status, error?.code, response.headers.get("retry-after")];
}

async function askAdmin(service: TestService, token: string) {
  const response = await fetch(`${service.running.adminUrl}/admin/v1/wallets`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { error } = await response.json();
  return [response.status, error?.code, response.headers.get("retry-after")];
}

Deno.test("a flood of bad keys is answered with a delay; good keys still work", async () => {
  await using at = await lab();
  const { key, id } = await at.service.newKey();
  for (let n = 0; n < LIMIT; n++) {
    assertEquals(await call(at.service, `wrong_key_number_${n}`), [401, "invalid_api_key", null]);
  }
  const malformed = [
    "wrong_key_number_0",
    "?",
    `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`,
    `${key}x`,
  ];
  for (const wrong of malformed) {
    assertEquals(await call(at.service, wrong), [429, "rate_limit_exceeded", "65"]);
  }
  assertEquals(await call(at.service, key), [200, undefined, null], "never seen before, and good");
  await at.service.admin("POST", `/keys/${id}/disable`);
  assertEquals(await call(at.service, key), [429, "rate_limit_exceeded", "65"]);
  assertEquals((await call(at.service, ""))[1], "missing_api_key", "none at all is not wrong");
  at.clock.advance(64_000);
  assertEquals(await call(at.service, "wrong_key_number_0"), [429, "rate_limit_exceeded", "1"]);
  at.clock.advance(1_000);
  assertEquals(await call(at.service, "wrong_key_number_0"), [401, "invalid_api_key", null]);
});

Deno.test("without a limit every wrong key is refused as wrong", async () => {
  await using at = await lab(0);
  for (let n = 0; n < 50; n++) assertEquals((await call(at.service, `wrong_key_${n}`))[0], 401);
});

Deno.test("64 callers with one good key do not reach the limit of wrong keys", async () => {
  await using at = await lab();
  const calls = Array.from({ length: 64 }, () => call(at.service, BOOTSTRAP_KEY));
  assertEquals((await Promise.all(calls)).map(([status]) => status), Array(64).fill(200));
});

Deno.test("guessing the admin token is slowed down, and its holder is not", async () => {
  await using at = await lab();
  assertEquals((await askAdmin(at.service, ADMIN_TOKEN))[0], 200);
  for (let n = 0; n < LIMIT; n++) {
    assertEquals(await askAdmin(at.service, `guess_number_${n}`), [401, "invalid_api_key", null]);
  }
  assertEquals(await askAdmin(at.service, "guess"), [429, "rate_limit_exceeded", "65"]);
  assertEquals((await askAdmin(at.service, ADMIN_TOKEN))[0], 200);
  assertEquals((await call(at.service, "wrong_key"))[0], 401, "the other listener counts apart");
});

Deno.test("a flood through a trusted proxy counts against the forwarded address", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using service = await ServiceProcess.start(join(folder, "svc.kv"), {
      SERVICE_TRUSTED_PROXIES: "127.0.0.1",
    });
    const statusFrom = async (address: string) => {
      const response = await fetch(`${service.publicUrl}/api/v1/pricing`, {
        headers: { "x-api-key": "wrong_key", "x-forwarded-for": address },
      });
      await response.body?.cancel();
      return response.status;
    };
    const statuses = [];
    for (let n = 0; n < 31; n++) statuses.push(await statusFrom(`203.0.113.${n}, 198.51.100.7`));
    assertEquals(statuses, [...Array(30).fill(401), 429], "what it claims is not believed");
    assertEquals(await statusFrom("198.51.100.8"), 401);
    const other = await statusFrom(`198.51.100.7, 2001:db8::1`);
    assertEquals(other, 401);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
