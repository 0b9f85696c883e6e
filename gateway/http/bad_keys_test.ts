import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { formatKey } from "../domain/policy/key_format.ts";
import { BadKeys } from "./bad_keys.ts";

const LIMIT = 3;
const FIXED = "somebody_made_this_up";
const GENERATED = formatKey({ publicId: "AbCdEfGhIjKl", secret: "0".repeat(32) });

/** A watch over keys of which two are good, and what it looked up. */
function watch(limit = LIMIT) {
  let nowMs = 0;
  const lookedUp: string[] = [];
  const warnings: unknown[] = [];
  const log = (event: string, fields: unknown) => void warnings.push([event, fields]);
  const good = new Set([FIXED, GENERATED]);
  const badKeys = new BadKeys({
    keyClass: "service",
    limit: () => limit,
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    logger: { info: log, warn: log, error: log },
  });
  const find = (secret: string, remoteAddress: string | undefined = "192.0.2.1") =>
    badKeys.find({ secret, remoteAddress }, async () => {
      lookedUp.push(secret);
      await Promise.resolve();
      return good.has(secret) ? secret : undefined;
    });
  /** `true`: good; `false`: wrong; a number: to come back in so many milliseconds. */
  const ask = async (secret: string, address?: string): Promise<boolean | number> => {
    try {
      return await find(secret, address) !== undefined;
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      assertEquals([error.code, error.headers["x-should-retry"]], ["rate_limit_exceeded", "false"]);
      return error.retryAfterMs ?? 0;
    }
  };
  const exhaust = async (address?: string) => {
    for (let n = 0; n < limit; n++) assertEquals(await ask(`wrong_${n}`, address), false);
  };
  return { ask, exhaust, good, lookedUp, warnings, pass: (ms: number) => nowMs += ms };
}

Deno.test("an address that sends too many wrong keys waits, truthfully, and is not looked up for", async () => {
  const { ask, exhaust, lookedUp, warnings, pass } = watch();
  await exhaust();
  assertEquals(await ask("wrong_again"), 65_000);
  assertEquals(lookedUp.length, LIMIT);
  assertEquals(await ask("wrong_again", "192.0.2.2"), false, "another address has its own budget");
  pass(64_999);
  assertEquals(await ask("wrong_again"), 1);
  pass(1);
  assertEquals(await ask("wrong_again"), false);
  const fields = { keyClass: "service", remoteAddress: "192.0.2.1", limit: LIMIT };
  assertEquals(warnings, Array(2).fill(["too_many_bad_keys", fields]));
});

Deno.test("good users of a flooded address are served: known keys, and generated ones at once", async () => {
  const { ask, exhaust, good } = watch();
  assertEquals(await ask(FIXED), true);
  await exhaust();
  assertEquals([await ask(FIXED), await ask(GENERATED)], [true, true]);
  good.clear();
  assertEquals(
    [await ask(FIXED), await ask(GENERATED)],
    [65_000, 65_000],
    "revoked ones are wrong",
  );
});

Deno.test("over the limit, a guessable key is not looked up, even a correct one", async () => {
  const { ask, exhaust, lookedUp } = watch();
  await exhaust();
  assertEquals(await ask(FIXED), 65_000);
  assert(!lookedUp.includes(FIXED));
  assertEquals(await ask(FIXED, "192.0.2.2"), true);
  assertEquals(await ask(FIXED), true, "from then on it is known");
});

Deno.test("concurrent wrong keys do not evade the limit, and concurrent good ones do not reach it", async () => {
  const { ask, lookedUp } = watch();
  const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => ask(`wrong_${n}`)));
  assertEquals(answers.filter((answer) => answer === false).length, LIMIT);
  assertEquals(lookedUp.length, LIMIT);
  const good = await Promise.all(Array.from({ length: 64 }, () => ask(FIXED, "192.0.2.3")));
  assertEquals(good, Array(64).fill(true));
});

Deno.test("an IPv6 network of 64 bits is one address, and so are all that cannot be read", async () => {
  const { ask, exhaust } = watch();
  await exhaust("2001:db8:0:1::1");
  assertEquals(await ask("wrong", "2001:db8:0:1:ffff::2%eth0"), 65_000);
  assertEquals(await ask("wrong", "2001:db8:0:2::1"), false);
  await exhaust("::ffff:198.51.100.7");
  assertEquals(await ask("wrong", "198.51.100.7"), 65_000);
  await exhaust("nonsense");
  assertEquals(await ask("wrong", ""), 65_000);
});

Deno.test("with a limit of 0 all are looked up", async () => {
  const { ask, lookedUp } = watch(0);
  for (let n = 0; n < 100; n++) assertEquals(await ask(`wrong_${n}`), false);
  assertEquals(lookedUp.length, 100);
});

Deno.test("a flood from many addresses is forgotten in time, not gathered", async () => {
  const { ask, exhaust } = watch(1);
  await exhaust("192.0.2.1");
  for (let n = 0; n < 50_000; n++) await ask("wrong", `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  assertEquals(await ask("wrong", "192.0.2.1"), false, "only so many addresses are remembered");
});

Deno.test("a failing store does not count as a bad key", async () => {
  const badKeys = new BadKeys({
    keyClass: "service",
    limit: () => 1,
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const presented = { secret: "wrong", remoteAddress: "192.0.2.1" };
  const fails = () => Promise.reject(new TypeError("no store"));
  for (let n = 0; n < 3; n++) {
    await assertRejects(async () => await badKeys.find(presented, fails), TypeError);
  }
  assertEquals(await badKeys.find(presented, () => undefined), undefined);
});
