import { assertEquals } from "@std/assert";
import { Silence } from "./silence.ts";

const LIMITS = { leaseMs: 6_000, gapMs: 2_000 };

/** Sees one session each second from `fromMs` on, with these numbers of beats. */
function watch(silence: Silence, fromMs: number, ...beats: readonly number[]): readonly string[] {
  let ended: readonly string[] = [];
  for (const [at, count] of beats.entries()) {
    const sighting = { nowMs: fromMs + at * 1_000, beats: new Map([["one", BigInt(count)]]) };
    ended = silence.add(sighting).map(({ id }) => id);
  }
  return ended;
}

Deno.test("a session is over after a whole lease without a beat, not before", () => {
  const silence = new Silence(LIMITS);
  assertEquals(watch(silence, 0, 4, 4, 4, 4, 4, 4), []);
  assertEquals(watch(silence, 6_000, 4), ["one"]);
  assertEquals(silence.add({ nowMs: 6_100, beats: new Map([["one", 5n]]) }), []);
});

Deno.test("a beat starts the count again, whatever its number", () => {
  const silence = new Silence(LIMITS);
  assertEquals(watch(silence, 0, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3), []);
  assertEquals(watch(silence, 12_000, 3), ["one"]);
});

Deno.test("time without the database does not count", () => {
  const silence = new Silence(LIMITS);
  watch(silence, 0, 4, 4, 4, 4, 4);
  assertEquals(watch(silence, 64_000, 4, 4, 4, 4, 4, 4), []);
  assertEquals(watch(silence, 70_000, 4), ["one"]);
});

Deno.test("of a late answer a part counts, and of time without an answer nothing", () => {
  const silence = new Silence(LIMITS);
  watch(silence, 0, 4, 4);
  assertEquals(watch(silence, 5_000, 4), [], "1 s and 2 of the 4");
  silence.missed();
  assertEquals(watch(silence, 8_000, 4), []);
  assertEquals(watch(silence, 9_000, 4, 4), []);
  assertEquals(watch(silence, 11_000, 4), ["one"]);
});

Deno.test("an instance that beats once in a while is never over on a busy machine", () => {
  const silence = new Silence(LIMITS);
  for (let at = 0; at < 40; at++) {
    assertEquals(watch(silence, at * 2_900, Math.floor(at / 2)), []);
  }
});

Deno.test("a step of the database's clock, back or ahead, ends no session and spares none", () => {
  for (const stepMs of [-3_600_000, 3_600_000]) {
    const silence = new Silence(LIMITS);
    watch(silence, 10_000_000, 4, 4, 4, 4, 4);
    assertEquals(watch(silence, 10_004_000 + stepMs, 4, 4, 4, 4, 4, 4), []);
    assertEquals(watch(silence, 10_010_000 + stepMs, 4), ["one"]);
  }
});

Deno.test("an instance that joins again counts from the start", () => {
  const silence = new Silence(LIMITS);
  watch(silence, 0, 4, 4, 4, 4, 4, 4);
  silence.forget();
  assertEquals(watch(silence, 6_000, 4, 4, 4, 4, 4, 4), []);
});
