import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { type BodyLimits, HeldBodies, SHORT_BYTES } from "./held_bodies.ts";

const MB = 1024 * 1024;
const LONG_WAIT_MS = 60_000;

function bodiesOf(limits: Partial<BodyLimits> = {}): HeldBodies {
  const standard = { bodyMegabytes: 16, bodyMegabytesPerKey: 8, queueMs: 0, queueLength: 10 };
  return new HeldBodies(() => ({ ...standard, ...limits }));
}

async function refusalOf(room: Promise<void> | undefined): Promise<[string, number]> {
  const { code, status } = await assertRejects(async () => await room, ServiceFault);
  return [code, status];
}

Deno.test("a key holds no more than its share; beyond it is 429", async () => {
  const bodies = bodiesOf();
  const [first, second] = [bodies.hold("a"), bodies.hold("a")];
  assertEquals(first.take(5 * MB), undefined);
  assertEquals(await refusalOf(second.take(5 * MB)), ["rate_limit_exceeded", 429]);
  assertEquals(second.take(3 * MB), undefined);
  assertEquals(await refusalOf(bodies.hold("a").take(1)), ["rate_limit_exceeded", 429]);
  assertEquals(bodies.hold("b").take(5 * MB), undefined);
});

Deno.test("all keys together hold no more than the total; beyond it is 503", async () => {
  const bodies = bodiesOf();
  assertEquals(bodies.hold("a").take(8 * MB), undefined);
  assertEquals(bodies.hold("b").take(6 * MB), undefined);
  assertEquals(await refusalOf(bodies.hold("c").take(2 * MB)), ["no_model_available", 503]);
  assertEquals(bodies.bytes, 14 * MB);
});

Deno.test("long bodies leave room for short ones", async () => {
  const bodies = bodiesOf();
  bodies.hold("a").take(8 * MB);
  bodies.hold("b").take(6 * MB);
  assertEquals(await refusalOf(bodies.hold("c").take(SHORT_BYTES + 1)), [
    "no_model_available",
    503,
  ]);
  const inPieces = bodies.hold("c");
  assertEquals(inPieces.take(SHORT_BYTES), undefined);
  assertEquals(await refusalOf(inPieces.take(1)), ["no_model_available", 503]);
});

Deno.test("a request that could never have its room is refused for good", () => {
  const bodies = bodiesOf();
  const fault = assertThrows(() => bodies.hold("a").take(8 * MB + 1), ServiceFault);
  assertEquals(fault.code, "body_too_large");
  const grown = bodies.hold("a");
  grown.take(8 * MB);
  assertEquals(assertThrows(() => grown.take(1), ServiceFault).code, "body_too_large");
});

Deno.test("released memory goes to waiting requests, keys in rotation", async () => {
  const bodies = bodiesOf({ queueMs: LONG_WAIT_MS });
  const order: string[] = [];
  const enter = (key: string) => {
    const hold = bodies.hold(key);
    const room = hold.take(8 * MB);
    room?.then(() => order.push(key));
    return hold;
  };
  const first = enter("a");
  const second = enter("a");
  const third = enter("a");
  const other = bodies.hold("b");
  await other.take(6 * MB);
  const waiting = enter("b");
  first.release();
  await Promise.resolve();
  assertEquals(order, ["a"]);
  other.release();
  second.release();
  await Promise.resolve();
  assertEquals(order, ["a", "b"]);
  waiting.release();
  await Promise.resolve();
  assertEquals(order, ["a", "b", "a"]);
  third.release();
  assertEquals(bodies.bytes, 0);
});

Deno.test("a wait for one's own share does not keep others out", () => {
  const bodies = bodiesOf({ queueMs: LONG_WAIT_MS });
  const [first, second] = [bodies.hold("a"), bodies.hold("a")];
  first.take(8 * MB);
  const waiting = second.take(MB);
  const other = bodies.hold("b");
  void other.take(6 * MB);
  assertEquals(bodies.bytes, 14 * MB);
  first.release();
  return waiting?.then(() => assertEquals(bodies.bytes, 7 * MB));
});

Deno.test("a disconnect ends the wait, and a full queue refuses immediately", async () => {
  const bodies = bodiesOf({ queueMs: LONG_WAIT_MS, queueLength: 1 });
  const first = bodies.hold("a");
  first.take(8 * MB);
  const leaving = new AbortController();
  const waiting = bodies.hold("a", leaving.signal).take(MB);
  assertEquals(await refusalOf(bodies.hold("a").take(MB)), ["rate_limit_exceeded", 429]);
  leaving.abort();
  await assertRejects(async () => await waiting, CallerDisconnected);
  first.release();
  first.release();
  assertEquals(bodies.bytes, 0);
});

Deno.test("more may be taken only where it is free now", () => {
  const bodies = bodiesOf({ queueMs: LONG_WAIT_MS });
  const hold = bodies.hold("a");
  hold.take(3 * MB);
  assertEquals([hold.tryTake(4 * MB), hold.tryTake(2 * MB), bodies.bytes], [true, false, 7 * MB]);
  hold.release();
  assertEquals(bodies.bytes, 0);
});
