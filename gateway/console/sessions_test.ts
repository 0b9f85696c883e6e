import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { IDLE_MS, LIFETIME_MS, Sessions, SESSIONS_MAX } from "./sessions.ts";

function setUp() {
  const now = { ms: 1_000, epoch: 0 };
  const clock = { monotonicMs: () => now.ms };
  return { now, sessions: new Sessions({ clock, tokenEpoch: () => now.epoch }) };
}

Deno.test("a session has 256 random bits, and no two are alike", () => {
  const { sessions } = setUp();
  const [one, other] = [sessions.begin(), sessions.begin()];
  assertMatch(one.id, /^[0-9a-f]{64}$/);
  assertNotEquals(one.id, other.id);
  assertEquals(sessions.find(one.id), one);
});

Deno.test("find() returns undefined for an unknown session id", () => {
  const { sessions } = setUp();
  assertEquals(sessions.find("f".repeat(64)), undefined);
  assertEquals(sessions.find("__proto__"), undefined);
  assertEquals(sessions.find(""), undefined);
});

Deno.test("a session ends when it is idle, and use keeps it", () => {
  const { now, sessions } = setUp();
  const { id } = sessions.begin();
  now.ms += IDLE_MS - 1;
  assert(sessions.find(id));
  now.ms += IDLE_MS - 1;
  assert(sessions.find(id));
  now.ms += IDLE_MS;
  assertEquals(sessions.find(id), undefined);
  now.ms -= IDLE_MS;
  assertEquals(sessions.find(id), undefined, "What is over does not come back");
});

Deno.test("no use keeps a session beyond its lifetime", () => {
  const { now, sessions } = setUp();
  const { id } = sessions.begin();
  const step = IDLE_MS / 2;
  for (let at = step; at < LIFETIME_MS; at += step) {
    now.ms += step;
    assert(sessions.find(id), `${at} ms`);
  }
  now.ms += step;
  assertEquals(sessions.find(id), undefined);
});

Deno.test("the least recently used session gives way to one too many", () => {
  const { sessions } = setUp();
  const ids = Array.from({ length: SESSIONS_MAX }, () => sessions.begin().id);
  sessions.find(ids[0] ?? "");
  sessions.begin();
  assert(sessions.find(ids[0] ?? ""));
  assertEquals(sessions.find(ids[1] ?? ""), undefined);
  assert(sessions.find(ids[2] ?? ""));
});

Deno.test("another admin token ends the sessions of the one before", () => {
  const { now, sessions } = setUp();
  const { id } = sessions.begin();
  now.epoch++;
  assertEquals(sessions.find(id), undefined);
  assertEquals(sessions.find(sessions.begin(0).id), undefined, "It was replaced meanwhile");
});

Deno.test("one session or all can be ended", () => {
  const { sessions } = setUp();
  const [one, other] = [sessions.begin().id, sessions.begin().id];
  sessions.end(one);
  assertEquals([sessions.find(one) !== undefined, sessions.find(other) !== undefined], [
    false,
    true,
  ]);
  sessions.endAll();
  assertEquals(sessions.find(other), undefined);
});
