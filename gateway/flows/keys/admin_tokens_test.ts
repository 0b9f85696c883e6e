import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { parseKey } from "../../domain/policy/key_format.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { ADMIN_DIGESTS, AdminTokens, newAdminToken } from "./admin_tokens.ts";
import { Peppers } from "./peppers.ts";

const OLD = { version: 1, secret: "old" };
const NEW = { version: 2, secret: "new" };
const FIRST = "svc_admin_first_token";

/** Settings in memory, with the first token's digest, that fail on demand. */
class MemorySettings implements SettingsStore {
  readonly rows = new Map([[ADMIN_DIGESTS, new Peppers(OLD).digest(FIRST)]]);
  failing = false;

  get(name: string): Promise<string | undefined> {
    return Promise.resolve(this.rows.get(name));
  }
  getMany(): Promise<ReadonlyMap<string, string>> {
    return Promise.resolve(this.rows);
  }
  setOnce(name: string, value: string): Promise<string> {
    return Promise.resolve(this.rows.get(name) ?? value);
  }
  replace(name: string, { from, to }: { from: string | undefined; to: string }): Promise<boolean> {
    if (this.rows.get(name) !== from) return Promise.resolve(false);
    return this.set(name, to).then(() => true);
  }
  set(name: string, value: string): Promise<void> {
    if (this.failing) return Promise.reject(new StoreError("The disk is full"));
    this.rows.set(name, value);
    return Promise.resolve();
  }
}

async function setUp(startToken?: string, peppers = new Peppers(OLD)) {
  const settings = new MemorySettings();
  const lines: string[] = [];
  const log = (event: string) => void lines.push(event);
  const logger = { info: log, warn: log, error: log };
  const open = () => AdminTokens.open({ settings, peppers, logger, startToken });
  return { settings, lines, peppers, open, tokens: await open() };
}

Deno.test("newAdminToken() makes a token of the other class", () => {
  const token = newAdminToken();
  assert(parseKey(token, "admin") !== undefined);
  assertEquals(parseKey(token), undefined);
});

Deno.test("the kept token is let in, and the one given to this start beside it", async () => {
  const { tokens } = await setUp("given_token_0123456789");
  for (const token of [FIRST, "given_token_0123456789"]) assert(tokens.admits(token), token);
  for (const token of ["", "x", `${FIRST}x`, "x".repeat(5_000)]) {
    assertEquals(tokens.admits(token), false, token);
  }
  const { tokens: others } = await setUp();
  assertEquals([others.admits(FIRST), others.admits("given_token_0123456789")], [true, false]);
});

Deno.test("a store without an admin token accepts no token", async () => {
  const { settings, open } = await setUp();
  settings.rows.delete(ADMIN_DIGESTS);
  const tokens = await open();
  for (const token of ["", FIRST]) assertEquals(tokens.admits(token), false);
});

Deno.test("a rotation lets both in until the new token is confirmed, also over a restart", async () => {
  const { open, tokens } = await setUp();
  const lost = await tokens.rotate();
  const next = await tokens.rotate();
  assertNotEquals(lost, next);
  const admits = (tokens: AdminTokens) => [FIRST, lost, next].map((each) => tokens.admits(each));
  assertEquals(admits(tokens), [true, false, true]);
  assertEquals(admits(await open()), [true, false, true]);
  for (const other of [FIRST, lost, ""]) assertEquals(await tokens.confirm(other), false);
  assertEquals(await tokens.confirm(next), true);
  assertEquals(admits(tokens), [false, false, true]);
  assertEquals(admits(await open()), [false, false, true]);
  assertEquals(await tokens.confirm(next), false);
});

Deno.test("a rotation that cannot be written changes nothing", async () => {
  const { settings, tokens } = await setUp();
  settings.failing = true;
  await assertRejects(() => tokens.rotate(), StoreError);
  settings.failing = false;
  const next = await tokens.rotate();
  settings.failing = true;
  await assertRejects(() => tokens.confirm(next), StoreError);
  assertEquals([tokens.admits(FIRST), tokens.admits(next)], [true, true]);
  settings.failing = false;
  assertEquals(await tokens.confirm(next), true);
});

Deno.test("tokens move to the current pepper when they are used", async () => {
  const { settings, lines, peppers, tokens } = await setUp();
  const next = await tokens.rotate();
  peppers.change(NEW, OLD);
  settings.failing = true;
  assert(tokens.admits(FIRST));
  await tokens.idle();
  assertEquals(lines, ["Cannot move the admin token to the current pepper"]);
  settings.failing = false;
  for (const token of [FIRST, next]) assert(tokens.admits(token));
  await tokens.idle();
  const digests = [FIRST, next].map((token) => peppers.digest(token));
  assertEquals(settings.rows.get(ADMIN_DIGESTS), digests.join(" "));
  peppers.change(NEW);
  assertEquals([tokens.admits(FIRST), tokens.admits(next)], [true, true]);
});

Deno.test("a given token that is the kept one moves at the start", async () => {
  const { settings } = await setUp(FIRST, new Peppers(NEW, OLD));
  assertEquals(settings.rows.get(ADMIN_DIGESTS), new Peppers(NEW).digest(FIRST));
});

Deno.test("the mark of a token stands until it is replaced, or another is confirmed", async () => {
  const { tokens } = await setUp();
  const marked = async (token: string) => await tokens.markOf(token) ?? "";
  const first = await marked(FIRST);
  const lost = await marked(await tokens.rotate());
  assertEquals([first, lost].map((mark) => tokens.stands(mark)), [true, true]);
  const next = await tokens.rotate();
  const second = await marked(next);
  assertEquals([first, lost, second].map((mark) => tokens.stands(mark)), [true, false, true]);
  assert(await tokens.confirm(next));
  assertEquals([first, lost, second].map((mark) => tokens.stands(mark)), [false, false, false]);
  assert(tokens.stands(await marked(next)));
  assertEquals(await tokens.markOf("another"), undefined);
  assertEquals(tokens.stands(""), false);
});

Deno.test("a mark follows its token to the pepper in force", async () => {
  const { peppers, tokens } = await setUp();
  peppers.change(NEW, OLD);
  const mark = await tokens.markOf(FIRST) ?? "";
  assertEquals(mark, `${peppers.digest(FIRST)} ${peppers.digest(FIRST)}`);
  assert(tokens.stands(mark));
});
