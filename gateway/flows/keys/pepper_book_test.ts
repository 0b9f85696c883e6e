import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { createHmac } from "node:crypto";
import { ServiceFault } from "../../domain/fault.ts";
import { ADMIN_DIGESTS } from "./admin_tokens.ts";
import { KeyRing } from "./key_ring.ts";
import { type KvStores, openKvStores } from "../../stores/kv/open.ts";
import { systemClock as clock } from "../../system/clock.ts";
import { STORED_PEPPER } from "../../domain/policy/key_format.ts";
import { type GivenPeppers, PepperBook, PepperError } from "./pepper_book.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Runs a test on a store in memory; `start` is a start of the service on it. */
async function withStore(
  test: (
    setup: { stores: KvStores; start(given?: GivenPeppers): ReturnType<typeof started> },
  ) => Promise<void>,
): Promise<void> {
  const stores = await openKvStores(":memory:");
  try {
    await test({ stores, start: (given) => started(stores, given) });
  } finally {
    await stores.close();
  }
}

async function started(stores: KvStores, given?: GivenPeppers) {
  const book = await PepperBook.open({ ...stores, clock }, given);
  const ring = new KeyRing(book.peppers, { keys: stores.keys, clock, logger: silent });
  return {
    book,
    ring,
    async issue() {
      const made = await ring.issue({ name: "app", walletId: "team", policy: {} });
      assert(made.ok);
      return { key: made.key, id: made.record.id };
    },
    /** True when a key serves, once all writes that follow its use are done. */
    async serves({ key }: { key: string }) {
      const record = await ring.authenticate(key);
      await ring.idle();
      return record !== undefined;
    },
  };
}

/** Returns the settings as text, to search for secrets. */
async function settingsText({ settings }: KvStores): Promise<string> {
  const names = ["key_peppers", "key_pepper", "key_pepper_check"];
  return (await Promise.all(names.map((name) => settings.get(name)))).join("\n");
}

Deno.test("a pepper is made once and kept; another one is refused", async () => {
  await withStore(async ({ start }) => {
    const { book, issue } = await start();
    const key = await issue();
    assertEquals((await start()).book.peppers.current, book.peppers.current);
    assert(await (await start()).serves(key));
    await assertRejects(() => start({ current: "another" }), PepperError, "made with another");
    const { secret } = book.peppers.current;
    const given = await start({ current: secret });
    assert(await given.serves(key));
    assertEquals(await given.book.rotate(), { ok: false, refusal: { code: "pepper_given" } });
  });
});

Deno.test("a given pepper is not stored, and is required again", async () => {
  await withStore(async ({ stores, start }) => {
    const key = await (await start({ current: "given" })).issue();
    await assertRejects(() => start(), PepperError, "without SERVICE_KEY_PEPPER");
    assert(await (await start({ current: "given" })).serves(key));
    assert(!(await settingsText(stores)).includes("given"));
  });
});

Deno.test("a supplied pepper is changed together with the old one, until no key uses the old one", async () => {
  await withStore(async ({ stores, start }) => {
    const before = await start({ current: "old" });
    const [used, idle] = [await before.issue(), await before.issue()];
    await assertRejects(() => start({ current: "new" }), PepperError, "PEPPER_PREVIOUS");
    await assertRejects(() => start({ current: "new", previous: "x" }), PepperError);
    const both = { current: "new", previous: "old" };
    for (const changing of [await start(both), await start(both)]) {
      assert(await changing.serves(used));
      const [now, then] = await changing.book.uses();
      assertEquals([now?.version, now?.keyIds, then?.keyIds], [2, [used.id], [idle.id]]);
    }
    const missing = "Cannot read 1 key, which use another pepper";
    await assertRejects(() => start({ current: "new" }), PepperError, missing);
    await assertRejects(() => start({ current: "newer", previous: "new" }), PepperError, missing);
    await assertRejects(() => start({ current: "old" }), PepperError, missing);
    // Back again: the two have only changed their places.
    assert(await (await start({ current: "old", previous: "new" })).serves(used));
    const { ring } = await start(both);
    await ring.authenticate(used.key);
    await ring.idle();
    await ring.revoke(idle.id);
    const after = await start({ current: "new" });
    assert(await after.serves(used));
    assertEquals((await after.book.uses()).map(({ version }) => version), [2]);
    const third = await start({ current: "newer", previous: "new" });
    assertEquals(third.book.peppers.current.version, 3);
    assert(!/"(old|new|newer)"/.test(await settingsText(stores)));
  });
});

Deno.test("a kept pepper gives way to a given one, and that to a kept one", async () => {
  await withStore(async ({ stores, start }) => {
    const first = await start();
    const key = await first.issue();
    const given = await start({ current: "given", previous: STORED_PEPPER });
    assertEquals(await given.book.rotate(), { ok: false, refusal: { code: "pepper_given" } });
    assert(await given.serves(key));
    assertEquals(await given.book.drop(), { ok: true });
    assert(!(await settingsText(stores)).includes(first.book.peppers.current.secret));
    await assertRejects(
      () => start({ previous: STORED_PEPPER }),
      PepperError,
      "without SERVICE_KEY",
    );
    const kept = await start({ previous: "given" });
    assert(await kept.serves(key));
    const last = await start();
    assertEquals(last.book.peppers.current, kept.book.peppers.current);
    assert(await last.serves(key));
  });
});

Deno.test("a kept pepper is rotated while it serves, one change at a time", async () => {
  await withStore(async ({ start }) => {
    const { book, ring, issue, serves } = await start();
    const [key, idle] = [await issue(), await issue()];
    assertEquals(await book.drop(), { ok: false, refusal: { code: "no_previous" } });
    const before = book.peppers.current;
    const [one, other] = await Promise.all([book.rotate(), book.rotate()]);
    assertEquals(one, { ok: true });
    assertEquals([other?.ok, book.peppers.current.version], [false, 2]);
    assertNotEquals(book.peppers.current.secret, before.secret);
    assert(await serves(key));
    const use = {
      version: 1,
      kept: true,
      keys: 1,
      keyIds: [idle.id],
      adminToken: false,
      operatorTokens: 0,
    };
    assertEquals(await book.drop(), { ok: false, refusal: { code: "in_use", use } });
    const again = await start();
    assert(await again.serves(idle) && await again.serves(key));
    await ring.authenticate(idle.key);
    assertEquals(await book.drop(), { ok: true });
    assertEquals(book.peppers.previous, undefined);
    assert(await serves(idle) && await (await start()).serves(key));
  });
});

Deno.test("the admin token keeps the pepper of its digest", async () => {
  await withStore(async ({ stores, start }) => {
    const { book } = await start({ current: "old" });
    await stores.settings.set(ADMIN_DIGESTS, book.peppers.digest("token"));
    await start({ current: "new", previous: "old" });
    const missing = "Cannot read the admin token,";
    await assertRejects(() => start({ current: "new" }), PepperError, missing);
  });
});

Deno.test("expired and revoked keys keep no pepper", async () => {
  await withStore(async ({ start }) => {
    const { ring } = await start({ current: "old" });
    const policy = { expiresAt: "2020-01-01T00:00:00Z" };
    assert((await ring.issue({ name: "app", walletId: "team", policy })).ok);
    await start({ current: "new", previous: "old" });
    assertEquals((await start({ current: "new" })).book.peppers.previous, undefined);
  });
});

Deno.test("a store with keys and no pepper is not given a new one", async () => {
  await withStore(async ({ stores, start }) => {
    await (await start()).issue();
    await stores.settings.set("key_peppers", "[]");
    for (const given of [{}, { current: "given" }]) {
      await assertRejects(() => start(given), PepperError, "no record of their pepper");
    }
  });
});

Deno.test("a store of before peppers had versions is taken over, and keeps one copy", async () => {
  await withStore(async ({ stores, start }) => {
    const check = createHmac("sha256", "kept").update("key_pepper_check").digest("hex");
    await stores.settings.set("key_pepper", "kept");
    await stores.settings.set("key_pepper_check", check);
    const { book, issue } = await start();
    assertEquals(book.peppers.current, { version: 1, secret: "kept" });
    assertEquals(await stores.settings.get("key_pepper"), "");
    assert(await (await start()).serves(await issue()));
  });
});

Deno.test("a gateway takes over peppers of another, and says when it was not given one", async () => {
  await withStore(async ({ stores, start }) => {
    const [one, other] = [await start(), await start()];
    const key = await one.issue();
    const [made, late] = await Promise.all([one.book.rotate(), other.book.rotate()]);
    assert(made.ok && !late.ok);
    assert(await one.serves(key));
    await other.book.refresh();
    assertEquals(other.book.peppers.current, one.book.peppers.current);
    assert(await other.serves(key));

    assert((await one.book.drop()).ok);
    const given = await start({ current: "given", previous: STORED_PEPPER });
    assert(await given.serves(key));
    assertEquals(other.book.peppers.isIncomplete, false);
    const refreshPeppers = () => other.book.refresh();
    const options = { keys: stores.keys, clock, logger: silent, refreshPeppers };
    const ring = new KeyRing(other.book.peppers, options);
    await assertRejects(() => Promise.resolve(ring.authenticate(key.key)), ServiceFault);
    assert(other.book.peppers.isIncomplete);
  });
});
