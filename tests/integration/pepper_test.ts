/**
 * Changing the pepper and the admin token of a service with keys in use, over restarts.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { credentialsPath, readCredentials } from "../../gateway/system/credentials.ts";
import type { ServeSettings } from "../../gateway/config/settings.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { svcOn } from "../fixtures/svc.ts";

/** Starts on a store on disk, one after the other. */
async function onDisk(
  test: (
    start: (settings?: Partial<ServeSettings>) => Promise<TestService>,
    kvPath: string,
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "svc.kv");
    await test((settings = {}) => TestService.start({ kvPath, settings }), kvPath);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function serves(service: TestService, key: string): Promise<boolean> {
  const response = await fetch(`${service.openaiUrl}/models`, { headers: { "x-api-key": key } });
  await response.body?.cancel();
  return response.status === 200;
}

/** The status of the admin API for a token. */
async function statusFor(service: TestService, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.running.adminUrl}/admin/v1/service`, { headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test("a given pepper is changed over two restarts, and no key is lost", async () => {
  await onDisk(async (start) => {
    let made: { key: string; id: string };
    {
      await using first = await start({ keyPepper: "old" });
      made = await first.newKey();
    }
    await assertRejects(() => start({ keyPepper: "new" }), Error, "SERVICE_KEY_PEPPER_PREVIOUS");
    {
      await using both = await start({ keyPepper: "new", keyPepperPrevious: "old" });
      assert(await serves(both, BOOTSTRAP_KEY));
      await both.running.stop();
    }
    await assertRejects(() => start({ keyPepper: "new" }), Error, "Cannot read 1 key, which");
    {
      await using both = await start({ keyPepper: "new", keyPepperPrevious: "old" });
      const show = await svcOn(both, ["pepper", "show"]);
      assertMatch(show.out, /^current +version 2, set .*: 1 key and the admin token$/m);
      assertMatch(show.out, new RegExp(`^still needed by +${made.id}$`, "m"));
      assertMatch((await svcOn(both, ["keys", "list"])).out, /\n1 of 2 keys still need .* pepper/);
      const given = await svcOn(both, ["pepper", "rotate"]);
      assertMatch(given.err, /^The pepper is given by SERVICE_KEY_PEPPER: start the service/);
      assert(await serves(both, made.key));
      await both.running.stop();
    }
    await using last = await start({ keyPepper: "new" });
    for (const key of [made.key, BOOTSTRAP_KEY]) assert(await serves(last, key));
    const { previous } = JSON.parse((await svcOn(last, ["pepper", "show", "--json"])).out);
    assertEquals(previous, null);
  });
});

Deno.test("a kept pepper is rotated while it serves, and dropped when nothing needs it", async () => {
  await using service = await TestService.start();
  const { id, key } = await service.newKey();
  const pepper = (verb: string) => svcOn(service, ["pepper", verb]);
  assertMatch((await pepper("drop")).err, /^There is only one pepper/);
  assertMatch((await pepper("rotate")).out, /^current +version 2, stored in the store: 0 keys/);
  assertMatch((await pepper("rotate")).err, /^The previous pepper is still needed by 2 keys/);
  assertMatch((await pepper("drop")).err, /^The previous pepper is still needed by 2 keys/);
  const list = await svcOn(service, ["keys", "list"]);
  assertMatch(list.out, /^KEY .* PEPPER$/m);
  for (const each of [key, BOOTSTRAP_KEY]) assert(await serves(service, each));
  await service.admin("POST", `/keys/${id}/disable`);
  await service.admin("POST", `/keys/${id}/enable`);
  const show = await pepper("show");
  assertMatch(show.out, /no longer needed: `svc pepper drop` forgets it/);
  const dropped = JSON.parse((await svcOn(service, ["pepper", "drop", "--json"])).out);
  assertEquals([dropped.current.version, dropped.current.keys, dropped.previous], [2, 2, null]);
  for (const each of [key, BOOTSTRAP_KEY]) assert(await serves(service, each));
});

Deno.test("the admin token is rotated, and the file beside the store follows", async () => {
  await onDisk(async (start, kvPath) => {
    const path = credentialsPath(kvPath) ?? "";
    // A database has no folder: the file is named, as it is for several instances.
    await (await start({ credentialsFile: path }))[Symbol.asyncDispose]();
    const settings = { adminToken: undefined, credentialsFile: path };
    await using service = await start(settings);
    const rotate = () => svcOn(service, ["admin-token", "rotate"]);
    const rotated = await rotate();
    assertEquals([rotated.code, rotated.err], [0, ""]);
    const token = /^(svc_admin_\w+)$/m.exec(rotated.out)?.[1] ?? "";
    assertEquals((await readCredentials(path))?.token, token);
    assertEquals([await statusFor(service, ADMIN_TOKEN), await statusFor(service, token)], [
      401,
      200,
    ]);
    assertMatch((await rotate()).err, /refuses the admin token of SERVICE_ADMIN_TOKEN/);
    // Both ends of the file's life: the next start reads what the rotation left.
    await service.running.stop();
    await using next = await start(settings);
    assertEquals((await readCredentials(path))?.token, token);
    assertEquals([await statusFor(next, ADMIN_TOKEN), await statusFor(next, token)], [401, 200]);
  });
});

Deno.test("a rotation of the admin token that breaks off leaves the old one in force", async () => {
  await using service = await TestService.start({ settings: { adminToken: undefined } });
  const first = /Admin token +(\S+)/.exec(service.printed)?.[1] ?? "";
  const env = { SERVICE_ADMIN_TOKEN: first };
  const lost: typeof fetch = (url, init) =>
    String(url).endsWith("/confirm") ? Promise.reject(new TypeError("gone")) : fetch(url, init);
  const args = ["admin-token", "rotate", "--json"];
  const broken = await svcOn(service, args, { env, fetch: lost });
  const { token, confirmed } = JSON.parse(broken.out);
  assertEquals([broken.code, confirmed], [1, false]);
  assertMatch(broken.err, /^The old token is still accepted: Cannot reach the gateway/);
  for (const each of [first, token]) assertEquals(await statusFor(service, each), 200);
  const again = JSON.parse((await svcOn(service, args, { env })).out);
  const statuses = [first, token, again.token].map((each) => statusFor(service, each));
  assertEquals(await Promise.all(statuses), [401, 401, 200]);
  const unasked = await svcOn(service, ["models"], { env: { SERVICE_ADMIN_TOKEN: again.token } });
  assertEquals(unasked.code, 0);
});

Deno.test("the last use is not lost at the end of the service, and kept to the minute", async () => {
  await onDisk(async (start) => {
    let id: string;
    {
      await using first = await start();
      const made = await first.newKey();
      id = made.id;
      assert(await serves(first, made.key));
    }
    await using second = await start();
    const { lastUsedAt } = await second.admin("GET", `/keys/${id}`);
    assertMatch(String(lastUsedAt), /T\d\d:\d\d:00\.000Z$/);
  });
});
