import { assertEquals } from "@std/assert";
import type { Pass, PassStore } from "../../gateway/ports/pass_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

const LINK: Pass = {
  ...{ kind: "link", keyId: "key_a", digest: "ab", beganAtMs: 1_000, endsAtMs: 2_000 },
};
const SESSION: Pass = { ...LINK, kind: "session", endsAtMs: 9_000 };

const BOUNDS = { max: 300 };

const CLAUSES: Clauses<PassStore> = {
  "a pass is found by its whole name": async (store) => {
    await store.put(LINK, BOUNDS);
    assertEquals(await store.get(LINK), LINK);
    assertEquals(await store.get({ ...LINK, kind: "session" }), undefined);
    assertEquals(await store.get({ ...LINK, keyId: "key_b" }), undefined);
    assertEquals(await store.get({ ...LINK, digest: "abc" }), undefined);
  },
  "of takers at the same time one gets the pass": async (store) => {
    await store.put(LINK, BOUNDS);
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.take(LINK)));
    assertEquals(taken.filter((pass) => pass !== undefined), [LINK]);
    assertEquals(await store.get(LINK), undefined);
    assertEquals(await store.take(LINK), undefined);
  },
  "all passes of a key are removed, and those of others remain": async (store) => {
    const other = { ...SESSION, keyId: "key_ab" };
    for (const pass of [LINK, SESSION, other]) await store.put(pass, BOUNDS);
    await store.removeAll("key_a");
    await store.removeAll("key_none");
    assertEquals([await store.get(LINK), await store.get(SESSION)], [undefined, undefined]);
    assertEquals(await store.get(other), other);
  },
  "a sweep removes what has ended": async (store) => {
    for (const pass of [LINK, SESSION]) await store.put(pass, BOUNDS);
    assertEquals(await store.sweep(1_999), 0);
    assertEquals(await store.sweep(2_000), 1);
    assertEquals([await store.get(LINK), await store.get(SESSION)], [undefined, SESSION]);
    for (let at = 0; at < 250; at++) await store.put({ ...LINK, digest: `d${at}` }, BOUNDS);
    assertEquals(await store.sweep(8_000), 250);
  },
  "one too many of a key and a kind removes their oldest, and none of others": async (store) => {
    const others = [{ ...SESSION, keyId: "key_ab" }, SESSION];
    for (const pass of others) await store.put(pass, { max: 2 });
    const links = [5, 3, 4, 6].map((at) => ({ ...LINK, digest: `d${at}`, beganAtMs: at }));
    for (const pass of links) await store.put(pass, { max: 2 });
    const [five, three, four, six] = await Promise.all(links.map((pass) => store.get(pass)));
    assertEquals([five, six], [links[0], links[3]], "The oldest of those that were there gave way");
    assertEquals([three, four], [undefined, undefined]);
    for (const pass of others) assertEquals(await store.get(pass), pass);
    await store.put(LINK, { max: 1 });
    await store.put(LINK, { max: 1 });
    assertEquals(await store.get(LINK), LINK);
    assertEquals(await store.sweep(LINK.endsAtMs), 1);
  },
  "passes that are stored at the same time pass no bound": async (store) => {
    const links = Array.from({ length: 8 }, (_, at) => ({ ...LINK, digest: `d${at}` }));
    await Promise.all(links.map((pass) => store.put(pass, { max: 3 })));
    assertEquals(await store.sweep(LINK.endsAtMs), 3);
  },
  "names of any text are kept apart": async (store) => {
    const passes = ["\ud800", "\udfff", "#", "\0", "x".repeat(300), "x".repeat(301)]
      .map((text) => ({ ...LINK, keyId: text, digest: text }));
    for (const pass of passes) await store.put(pass, BOUNDS);
    for (const pass of passes) assertEquals(await store.take(pass), pass);
  },
};

/** Runs the clauses against a kind of store. */
export function passStoreContract(name: string, open: Open<PassStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
