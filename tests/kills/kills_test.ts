/**
 * Kills the service under load, again and again, and checks its books each time.
 *
 * @module
 */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { Books, microsOf } from "./books.ts";
import { Run } from "./run.ts";
import type { Kill } from "./tally.ts";
import { type Evidence, judge } from "./verdicts.ts";

/** `KILL_ROUNDS=100` is the long run: it takes some ten minutes, and prints a line a round. */
const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 5);
/** A run can be repeated with its seed as far as the machine's own timing allows. */
const SEED = Number(Deno.env.get("KILL_SEED") ?? 1);
const IS_LONG = ROUNDS > 5;

/** Maximum time under load before a kill, after the books were checked, in milliseconds. */
const LIFE_MS = 600;
/** Time under load that suffices for checkpoints of streams, in milliseconds. */
const LONG_LIFE_MS = 3_000;
/** Maximum time before a kill during a start, in milliseconds. */
const START_MS = 500;
/** Maximum time from the end of an answer at the upstream to a kill, in milliseconds. */
const SETTLING_MS = 5;
/** Time that requests queue in the operating system before a kill, in milliseconds. */
const FROZEN_MS = 80;
/** Number of calls at the upstream that count as load. */
const LOAD = 3;

/** Moments of a kill; repeated entries are more frequent. */
const MOMENTS: readonly [Kill, ...Kill[]] = [
  "killed under load",
  "killed under load",
  "killed settling",
  "killed settling",
  "killed frozen",
];

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Kills under load at a random moment: any, during a settlement, or while requests wait to be
 * accepted.
 */
async function killUnderLoad(run: Run): Promise<void> {
  const { random, service, tally, upstream } = run;
  await run.until(() => upstream.open >= LOAD, "load");
  await pause(random.chance(0.15) ? LONG_LIFE_MS : random.below(LIFE_MS));
  const moment = random.pick(MOMENTS);
  if (moment === "killed settling") {
    const { ends } = upstream;
    await run.until(() => upstream.ends > ends, "an answer to end");
    await pause(random.below(SETTLING_MS));
  } else if (moment === "killed frozen") {
    service.freeze();
    await run.queue();
    await pause(FROZEN_MS);
  }
  tally.count(moment);
  assertSane(await service.kill());
}

/** Starts the service; sometimes kills the start too, at any moment or during recovery. */
async function restart({ random, service, tally }: Run): Promise<void> {
  while (random.chance(0.25)) {
    service.begin();
    if (random.chance(0.5)) {
      await pause(random.below(START_MS));
      tally.count("killed while starting");
    } else {
      await service.writing();
      await pause(random.below(15));
      tally.count("killed while recovering");
    }
    assertSane(await service.kill());
  }
  service.begin();
  const begunMs = performance.now();
  await service.ready();
  tally.recovered(performance.now() - begunMs);
}

/** Asserts that the log shows no bug: a kill excuses none. */
function assertSane(complaints: string): void {
  assertFalse(/internal_error|unhandled_rejection|InvariantError/.test(complaints), complaints);
}

/** Checks the books after a restart, under load. */
async function check(run: Run): Promise<void> {
  const { books, service, tally } = run;
  const startMs = service.startsMs.at(-1) ?? 0;
  let evidence = run.evidence();
  await run.until(async () => {
    // Results that clients have reported by now must be in the books that are read next.
    evidence = run.evidence();
    await books.read(service);
    assertRight(evidence);
    const old = [...books.holds.values()].filter(({ atMs }) => atMs < startMs);
    return old.every(({ endings }) => endings.length > 0);
  }, "the holds of a former life to end");
  const { ok, problems } = await service.admin("GET", "/ledger/verify");
  assertEquals([ok, problems], [true, []]);
  assertConserved(run);
  tally.take(evidence, judge(evidence));
}

function assertRight(evidence: Evidence): void {
  assertEquals(judge(evidence), {
    overspentMicros: 0n,
    overspent: [],
    lost: [],
    doubled: [],
  });
}

function assertConserved({ books }: Run): void {
  for (const wallet of books.wallets) {
    const [credits, ...parts] = [wallet.credits, wallet.available, wallet.held, wallet.spent]
      .map(microsOf);
    assertEquals(parts.reduce((sum, part) => sum + part), credits, `Wallet ${wallet.id}`);
    assert(parts.every((part) => part >= 0n), JSON.stringify(wallet));
  }
}

/**
 * Checks the end, without calls: every row matches its journal, and all wallets match the cost of
 * the calls.
 */
async function checkTheEnd(run: Run): Promise<void> {
  const { books, clients, service, tally, upstream } = run;
  upstream.hurry();
  await clients.end();
  const verified = async () => await service.admin("GET", "/ledger/verify");
  await run.until(async () => (await verified()).openHolds === 0, "every hold to end");
  await check(run);
  // Nothing that was read earlier has changed since.
  const again = new Books();
  await again.read(service);
  assertEquals(again.steps, books.steps);
  let spent = 0n;
  for (const { id, held, credits, spent: ofWallet } of books.wallets) {
    const steps = books.steps.get(id) ?? [];
    const sum = (kinds: readonly string[]) =>
      steps.filter(({ kind }) => kinds.includes(kind)).reduce(
        (all, { micros }) => all + micros,
        0n,
      );
    assertEquals(
      [held, credits, ofWallet].map(microsOf),
      [0n, sum(["credit"]), sum(["settle", "void", "expire"])],
      `Wallet ${id}`,
    );
    spent += microsOf(ofWallet);
  }
  assertEquals(spent, tally.chargedMicros);
}

Deno.test(`the books are right after each of ${ROUNDS} kills under load`, {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using run = await Run.begin(SEED);
  const { service, tally } = run;
  for (let round = 1; round <= ROUNDS; round++) {
    await killUnderLoad(run);
    await restart(run);
    await check(run);
    await run.allow(round);
    if (IS_LONG) console.info(`${round}/${ROUNDS} ${tally.line()}`);
  }
  await checkTheEnd(run);
  assertSane(await service.kill());
  if (IS_LONG) console.info(tally.table());
  tally.assertShown({ all: ROUNDS >= 100 });
});
