import { assertEquals } from "@std/assert";
import type { Pass, PassStore } from "../../gateway/ports/pass_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

const LINK: Pass = {
  ...{ kind: "link", keyId: "key_a", digest: "ab", beganAtMs: 1_000, endsAtMs: 2_000 },
};
const SESSION: Pass = { ...LINK, kind: "session", endsAtMs: 9_000 };

const CLAUSES: Clauses<PassStore> = {
  "a pass is found by its whole name": async (store) => {
    await store.put(LINK);
    assertEquals(await store.get(LINK), LINK);
    assertEquals(await store.get({ ...LINK, kind: "session" }), undefined);
    assertEquals(await store.get({ ...LINK, keyId: "key_b" }), undefined);
    assertEquals(await store.get({ ...LINK, digest: "abc" }), undefined);
  },
  "of takers at the same time one gets the pass": async (store) => {
    await store.put(LINK);
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.take(LINK)));
    assertEquals(taken.filter((pass) => pass !== undefined), [LINK]);
    assertEquals(await store.get(LINK), undefined);
    assertEquals(await store.take(LINK), undefined);
  },
  "all passes of a key are removed, and those of others remain": async (store) => {
    const other = { ...SESSION, keyId: "key_ab" };
    for (const pass of [LINK, SESSION, other]) await store.put(pass);
    await store.removeAll("key_a");
    await store.removeAll("key_none");
    assertEquals([await store.get(LINK), await store.get(SESSION)], [undefined, undefined]);
    assertEquals(await store.get(other), other);
  },
  "a sweep removes what has ended": async (store) => {
    for (const pass of [LINK, SESSION]) await store.put(pass);
    assertEquals(await store.sweep(1_999), 0);
    assertEquals(await store.sweep(2_000), 1);
    assertEquals([await store.get(LINK), await store.get(SESSION)], [undefined, SESSION]);
    for (let at = 0; at < 250; at++) await store.put({ ...LINK, digest: `d${at}` });
    assertEquals(await store.sweep(8_000), 250);
  },
  "names of any text are kept apart": async (store) => {
    const passes = ["\ud800", "\udfff", "#", "\0", "x".repeat(300), "x".repeat(301)]
      .map((text) => ({ ...LINK, keyId: text, digest: text }));
    for (const pass of passes) await store.put(pass);
    for (const pass of passes) assertEquals(await store.take(pass), pass);
  },
};

/** Runs the clauses against a kind of store. */
export function passStoreContract(name: string, open: Open<PassStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
