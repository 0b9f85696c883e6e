import { assert, assertEquals } from "@std/assert";
import type {
  ConsoleSessionStore,
  StoredSession,
} from "../../gateway/ports/console_session_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

const ALL = { usedAfterMs: 0, beganAfterMs: 0 };
const BOUNDS = { ...ALL, max: 3, allMax: 9 };

/** A session of an operator, from its name and times. */
export function session(name: string, values: Partial<StoredSession> = {}): StoredSession {
  return {
    ...{ digest: `digest of ${name}`, name, beganMs: 10, usedMs: 10, version: 1 },
    actor: { kind: "operator", id: "opr_1", name: "Kim", role: "viewer", rights: ["read"] },
    signIn: { kind: "operator", operatorId: "opr_1", tokenId: "tok_1" },
    address: "192.0.2.7",
    ...values,
  };
}

async function namesOf(store: ConsoleSessionStore, span = ALL): Promise<readonly string[]> {
  return (await store.list(span)).map(({ name }) => name);
}

const CLAUSES: Clauses<ConsoleSessionStore> = {
  "a session is found by its digest, as it was stored": async (store) => {
    const one = session("one", { flash: { kind: "done", text: "“Saved” \u0000 \ud800" } });
    await store.create(one, BOUNDS);
    assertEquals(await store.get(one.digest), one);
    assertEquals(await store.get("another"), undefined);
    assertEquals(await store.get(""), undefined);
  },

  "sessions are listed by their last use, without those that have run out": async (store) => {
    for (const name of ["one", "two", "three"]) await store.create(session(name), BOUNDS);
    assertEquals(await namesOf(store), ["three", "two", "one"]);
    await store.touch("digest of one", 12);
    await store.touch("digest of one", 11);
    assertEquals((await store.get("digest of one"))?.usedMs, 12);
    assertEquals(await namesOf(store), ["one", "three", "two"]);
    assertEquals(await namesOf(store, { usedAfterMs: 10, beganAfterMs: 0 }), ["one"]);
    assertEquals(await namesOf(store, { usedAfterMs: 0, beganAfterMs: 10 }), []);
    await store.touch("another", 13);
  },

  "one too many ends the one that was used least recently, and those that ran out": async (
    store,
  ) => {
    for (const name of ["one", "two", "three"]) await store.create(session(name), BOUNDS);
    await store.touch("digest of one", 11);
    await store.create(session("four"), BOUNDS);
    assertEquals(await namesOf(store), ["one", "four", "three"]);
    assertEquals(await store.get("digest of two"), undefined);
    const later = session("five", { beganMs: 20, usedMs: 20 });
    await store.create(later, { ...BOUNDS, usedAfterMs: 10 });
    assertEquals(await namesOf(store), ["five", "one"]);
  },

  "one too many of an actor ends no session of another": async (store) => {
    for (const name of ["one", "two", "three"]) await store.create(session(name), BOUNDS);
    const lee = { ...session("lee").actor, id: "sso:lee \u0000" };
    for (let at = 1; at <= 5; at++) {
      assert(await store.create(session(`lee ${at}`, { actor: lee, usedMs: 10 + at }), BOUNDS));
    }
    const lees = ["lee 5", "lee 4", "lee 3"];
    assertEquals(await namesOf(store), [...lees, "three", "two", "one"]);
  },

  "one too many in all is refused and ends none, except in place of an own one": async (store) => {
    const bounds = { ...BOUNDS, allMax: 4 };
    for (const name of ["one", "two", "three"]) await store.create(session(name), bounds);
    const actorOf = (id: string) => ({ actor: { ...session(id).actor, id } });
    assert(await store.create(session("lee", actorOf("lee")), bounds));
    assert(!await store.create(session("max", actorOf("max")), bounds));
    assertEquals(await namesOf(store), ["lee", "three", "two", "one"]);
    assertEquals(await store.get("digest of max"), undefined);
    assert(await store.create(session("four"), bounds));
    assertEquals(await namesOf(store), ["four", "lee", "three", "two"]);
    const late = session("max", { ...actorOf("max"), usedMs: 20 });
    assert(await store.create(late, { ...bounds, usedAfterMs: 10 }), "Those that ran out give way");
    assertEquals(await namesOf(store), ["max"]);
  },

  "sessions that begin at the same time pass no bound": async (store) => {
    const begin = (name: string, id: string) =>
      store.create(session(name, { actor: { ...session(name).actor, id } }), {
        ...{ ...ALL, max: 2, allMax: 3 },
      });
    const begun = await Promise.all(
      Array.from({ length: 8 }, (_, at) => begin(`s${at}`, at % 2 === 0 ? "lee" : `other ${at}`)),
    );
    const { length } = await store.list(ALL);
    assertEquals(length, 3);
    assert(begun.includes(false) && begun.filter((isIn) => isIn).length >= 3);
  },

  "a change is stored once, keeps the last use, and brings no ended session back": async (
    store,
  ) => {
    await store.create(session("one"), BOUNDS);
    await store.touch("digest of one", 12);
    const second = session("one", { version: 2, flash: { kind: "done", text: "Saved" } });
    const made = await Promise.all([store.replace(second), store.replace(second)]);
    assertEquals(made.toSorted(), [false, true]);
    assertEquals(await store.get(second.digest), { ...second, usedMs: 12 });
    assert(!await store.replace({ ...second, version: 4 }));
    await store.end({ digest: second.digest });
    assert(!await store.replace({ ...second, version: 3 }));
    assertEquals(await store.get(second.digest), undefined);
  },

  "sessions are ended by digest, by name and by actor": async (store) => {
    const lee = session("lee").actor;
    for (const name of ["one", "two", "three"]) await store.create(session(name), BOUNDS);
    await store.end({ digest: "digest of one" });
    await store.end({ name: "two" });
    await store.end({ name: "two" });
    assertEquals(await namesOf(store), ["three"]);
    await store.create(session("lee", { actor: { ...lee, id: "sso:lee \u0000" } }), BOUNDS);
    await store.end({ actorId: "opr_1" });
    assertEquals(await namesOf(store), ["lee"]);
    await store.end({ actorId: "sso:lee \u0000" });
    assertEquals(await namesOf(store), []);
  },

  "a ticket is taken once": async (store) => {
    const ticket = { digest: "one", sealed: "text", untilMs: 20 };
    await store.putTicket(ticket, { nowMs: 10, max: 2 });
    const taken = await Promise.all([store.takeTicket("one"), store.takeTicket("one")]);
    assertEquals(taken.filter((one) => one !== undefined), [ticket]);
    assertEquals(await store.takeTicket("two"), undefined);
  },

  "old tickets give way": async (store) => {
    for (const [digest, untilMs] of [["one", 50], ["two", 20], ["three", 50]] as const) {
      await store.putTicket({ digest, sealed: "text", untilMs }, { nowMs: 10, max: 2 });
    }
    assertEquals(await store.takeTicket("one"), undefined, "The oldest");
    await store.putTicket({ digest: "four", sealed: "", untilMs: 50 }, { nowMs: 20, max: 2 });
    assertEquals(await store.takeTicket("two"), undefined, "It is over");
    assertEquals((await store.takeTicket("three"))?.untilMs, 50);
    assertEquals((await store.takeTicket("four"))?.sealed, "");
  },
};

/** Holds a store of the console's sessions against the contract. */
export function consoleSessionStoreContract(name: string, open: Open<ConsoleSessionStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
