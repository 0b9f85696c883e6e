import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { type Actor, EMERGENCY } from "../../domain/operators/operator.ts";
import { SessionMemory } from "./session_memory.ts";
import {
  IDLE_MS,
  LIFETIME_MS,
  NOTED_MS,
  OWN_SESSIONS_MAX,
  type Session,
  Sessions,
  SESSIONS_MAX,
} from "./sessions.ts";

const KIM: Actor = { kind: "operator", id: "opr_1", name: "Kim", role: "viewer", rights: ["read"] };

function setUp() {
  const now = { ms: LIFETIME_MS, mark: "0", kim: KIM as Actor | undefined };
  const clock = { nowMs: () => now.ms };
  const operators = { present: () => Promise.resolve(now.kim) };
  const adminTokens = { stands: (mark: string) => mark === now.mark };
  const store = new SessionMemory({ append: () => Promise.reject(new Error("No entry")) });
  const sessions = new Sessions({ clock, operators, adminTokens, store });
  const begin = async (mark = now.mark) =>
    begun(await sessions.begin({ kind: "emergency", mark }, { actor: EMERGENCY }));
  const beginAs = (actor: Actor) =>
    sessions.begin({ kind: "operator", operatorId: actor.id, tokenId: "tok_1" }, { actor });
  const beginKim = async () => begun(await beginAs(KIM));
  return { now, sessions, begin, beginAs, beginKim };
}

function begun(session: Session | undefined): Session {
  assert(session !== undefined, "There is room for it");
  return session;
}

Deno.test("a session has 256 random bits, and no two are alike", async () => {
  const { sessions, begin } = setUp();
  const [one, other] = [await begin(), await begin()];
  assertMatch(one.id, /^[0-9a-f]{64}$/);
  assertNotEquals(one.id, other.id);
  assertEquals((await sessions.find(one.id))?.id, one.id);
});

Deno.test("find() returns undefined for an unknown session id", async () => {
  const { sessions } = setUp();
  for (const id of ["f".repeat(64), "__proto__", ""]) {
    assertEquals(await sessions.find(id), undefined);
  }
});

Deno.test("a session ends when it is idle, and use keeps it", async () => {
  const { now, sessions, begin } = setUp();
  const { id } = await begin();
  now.ms += IDLE_MS - 1;
  assert(await sessions.find(id));
  now.ms += IDLE_MS - 1;
  assert(await sessions.find(id));
  now.ms += IDLE_MS;
  assertEquals(await sessions.find(id), undefined);
  now.ms -= IDLE_MS;
  assertEquals(await sessions.find(id), undefined, "A session that is over does not come back");
});

Deno.test("no use keeps a session beyond its lifetime", async () => {
  const { now, sessions, begin } = setUp();
  const { id } = await begin();
  const step = IDLE_MS / 2;
  for (let at = step; at < LIFETIME_MS; at += step) {
    now.ms += step;
    assert(await sessions.find(id), `${at} ms`);
  }
  now.ms += step;
  assertEquals(await sessions.find(id), undefined);
});

Deno.test("the least recently used session of an actor gives way to one too many", async () => {
  const { now, sessions, begin } = setUp();
  const ids: string[] = [];
  while (ids.length < OWN_SESSIONS_MAX) ids.push((await begin()).id);
  now.ms += NOTED_MS;
  await sessions.find(ids[0] ?? "");
  await begin();
  assert(await sessions.find(ids[0] ?? ""));
  assertEquals(await sessions.find(ids[1] ?? ""), undefined);
  assert(await sessions.find(ids[2] ?? ""));
});

Deno.test("an operator who signs in many times ends own sessions alone", async () => {
  const { now, sessions, begin, beginKim } = setUp();
  const other = await begin();
  const first = await beginKim();
  now.ms += NOTED_MS;
  for (let times = 0; times < SESSIONS_MAX + 1; times++) await beginKim();
  assert(await sessions.find(other.id), "It was used least recently of all");
  assertEquals(await sessions.find(first.id), undefined);
  assertEquals((await sessions.list()).length, OWN_SESSIONS_MAX + 1);
});

Deno.test("too many sessions in all refuse a sign-in, and never that of the admin token", async () => {
  const { now, sessions, begin, beginAs } = setUp();
  const last = { ...KIM, id: "opr_last" };
  const kim = begun(await beginAs(KIM));
  const others = SESSIONS_MAX - 1;
  for (let at = 0; at < others; at++) begun(await beginAs({ ...KIM, id: `opr ${at % 150}` }));
  assertEquals(await beginAs(last), undefined);
  assert(await sessions.find(kim.id));
  await begin();
  now.ms += IDLE_MS;
  begun(await beginAs(last));
});

Deno.test("another admin token ends the sessions of the one before", async () => {
  const { now, sessions, begin, beginKim } = setUp();
  const [{ id }, kim] = [await begin(), await beginKim()];
  now.mark = "1";
  assertEquals(await sessions.find(id), undefined);
  assertEquals(await sessions.find((await begin("0")).id), undefined, "It was replaced meanwhile");
  assert(await sessions.find(kim.id), "An operator's own session stays");
});

Deno.test("a session has the rights that its operator has now, and ends with the operator", async () => {
  const { now, sessions, beginKim } = setUp();
  const { id } = await beginKim();
  now.kim = { ...KIM, role: "admin", rights: ["read", "operators"] };
  assertEquals((await sessions.find(id))?.actor.role, "admin");
  now.kim = undefined;
  assertEquals(await sessions.find(id), undefined);
  now.kim = KIM;
  assertEquals(await sessions.find(id), undefined, "It does not come back");
});

Deno.test("a session is listed by a name that does not open it, and ended by it", async () => {
  const { sessions, begin, beginKim } = setUp();
  const [one, kim] = [await begin(), await beginKim()];
  const names = (await sessions.list()).map(({ name, actor }) => [name, actor.name]);
  assertEquals(names.map(([, who]) => who), ["Kim", "Admin token"]);
  const [[name = ""] = []] = names;
  assertEquals(await sessions.find(name), undefined);
  assert(!JSON.stringify(await sessions.list()).includes(kim.id));
  await sessions.endNamed(name);
  assertEquals(await sessions.find(kim.id), undefined);
  assert(await sessions.find(one.id));
});

Deno.test("one session, or all of an operator, can be ended", async () => {
  const { sessions, begin, beginKim } = setUp();
  const [one, other, kim] = [await begin(), await begin(), await beginKim()];
  await sessions.end(one.id);
  assertEquals(await sessions.find(one.id), undefined);
  await sessions.endAllOf(KIM.id);
  assertEquals(await sessions.find(kim.id), undefined);
  assert(await sessions.find(other.id));
  await sessions.endAllOf(EMERGENCY.id);
  assertEquals(await sessions.find(other.id), undefined);
});
