/**
 * The invariants of a run: while money moves, after each step, and at the end.
 *
 * @module
 */

import { type Accuse, nameOf, type ReckonedHold, type Settlement } from "./books.ts";
import type { Caller } from "./caller.ts";
import { rightCheckpoints, rightCosts } from "./expected_charge.ts";
import { FOUNDED_KEYS } from "./founding.ts";
import type { Attempt } from "./scripted_upstream.ts";
import { ownerOf, type SimulatedService } from "./service.ts";
import {
  CRASH_CHARGE,
  judgeAnswer,
  judgePart,
  judgeSplitEnd,
  RIGHT_CHARGE,
  type Settled,
} from "./split_verdicts.ts";
import type { WorldFacts } from "./world_facts.ts";

/** Checks each hold and each settlement as it becomes durable. */
export function judgeBooks(world: WorldFacts, accuse: Accuse): void {
  const { books } = world;
  books.onSettlement = (settlement) => judgeSettlement(world, settlement, accuse);
  books.onHold = (holdId, { owner, names }) => {
    judgeCap(world, holdId, accuse);
    judgeNames(world, { holdId, owner, names }, accuse);
    const founded = world.keys.find((key) => key?.id === owner)?.founded;
    const budget = founded === undefined ? undefined : FOUNDED_KEYS[founded]?.budget;
    const used = books.owners.get(owner) ?? 0n;
    if (budget === undefined || used <= budget) return;
    accuse("a key stays within its budget", `${owner}: ${used} of ${budget}`);
  };
}

/**
 * Checks that a hold counts under the names of its call that have budgets, and that each of them
 * stays within its budget.
 */
function judgeNames(
  { books, callers }: WorldFacts,
  { holdId, owner, names }: Pick<ReckonedHold, "owner" | "names"> & { readonly holdId: string },
  accuse: Accuse,
): void {
  const caller = callers[ownerOf(holdId)];
  const budgets = FOUNDED_KEYS[caller?.founded ?? -1]?.named ?? {};
  const { user, tag } = caller?.names ?? {};
  const own = [`user:${user}`, `tag:${tag}`].filter((name) => budgets[name] !== undefined);
  if (own.join() !== names.join()) {
    accuse("a hold counts under the names of its call", `${holdId}: ${names}, not ${own}`);
  }
  for (const name of own) {
    const used = books.owners.get(nameOf(owner, name)) ?? 0n;
    if (used <= (budgets[name] ?? 0n)) continue;
    accuse("a name stays within its budget", `${owner}, ${name}: ${used} of ${budgets[name]}`);
  }
}

/**
 * Checks that the holds and charges of a request stay within the cap of its key, however many calls
 * run at once. The hold of a failed call can cost nothing any more: it is only open until the store
 * has written that it is void, and the next call need not wait for that.
 */
function judgeCap({ books, callers }: WorldFacts, holdId: string, accuse: Accuse): void {
  const caller = callers[ownerOf(holdId)];
  const cap = FOUNDED_KEYS[caller?.founded ?? -1]?.cap;
  if (caller === undefined || cap === undefined) return;
  const failed = caller.attempts.filter(({ over, failure }) => over && failure !== undefined)
    .map((attempt) => attempt.holdId);
  const held = caller.holds.filter((id) => !failed.includes(id))
    .map((id) => books.holds.get(id)).filter((hold) => hold?.end === "open")
    .reduce((sum, hold) => sum + (hold?.amount ?? 0n), chargedTo({ books }, caller));
  if (held <= cap) return;
  accuse("a request holds at most its key's cap", `request ${caller.number}: ${held} of ${cap}`);
}

/**
 * Checks a call at an upstream when it arrives: each call in flight has its own hold, and none
 * begins for a caller that has disconnected.
 */
export function judgeBegin(
  { books }: WorldFacts,
  { caller, attempt }: { readonly caller: Caller; readonly attempt: Attempt },
  accuse: Accuse,
): void {
  const { holdId } = attempt;
  if (caller.state === "left") {
    accuse(
      "nothing begins after a caller disconnected",
      `request ${caller.number}: ${attempt.part}`,
    );
  }
  const open = caller.holds.filter((id) => books.holds.get(id)?.end === "open");
  const isHeld = holdId === undefined
    ? open.length >= caller.attempts.filter(({ over }) => !over).length
    : open.includes(holdId);
  if (isHeld) return;
  accuse("a hold is durable before the upstream's first byte", `request ${caller.number}`);
}

/** Checks the invariants after each step. Each complete caller is checked once. */
export function judgeStep(
  world: WorldFacts,
  seen: Set<Caller>,
  accuse: Accuse,
): void {
  for (const caller of world.callers) {
    if (caller.state !== "complete" || seen.has(caller)) continue;
    seen.add(caller);
    const charged = chargedTo(world, caller);
    const { billed } = caller.report;
    // A task whose charge was in doubt for too long has failed; the operator knows of the charge.
    const doubted = caller.holds.filter((id) => world.doubted.has(id));
    if (billed !== charged && billed !== charged - chargedTo(world, { holds: doubted })) {
      const detail = `request ${caller.number} reports ${billed}, the journal ${charged}`;
      accuse("a complete answer has a durable settlement", detail);
    }
    judgeAnswer(caller, accuse);
  }
  for (const caller of world.callers) judgeLeft(caller, accuse);
  const { service, books } = world;
  for (const wallet of service?.stores.ledger.walletsInMemory() ?? []) books.weigh(wallet);
}

/** Checks that a call without a caller is cancelled at its upstream, unless that is drained. */
function judgeLeft({ state, attempts, number }: Caller, accuse: Accuse): void {
  if (state !== "left") return;
  const running = attempts.find(({ over, cancelled, drains }) => !(over || cancelled || drains));
  if (running !== undefined) {
    accuse("no call continues after its caller disconnected", `${number}: ${running.part}`);
  }
}

/** Checks the invariants at the end of a run. */
export async function judgeEnd(world: WorldFacts, accuse: Accuse): Promise<void> {
  const { service, books } = world;
  if (service === undefined) {
    return accuse("a service starts on the data of the one before", "none is up");
  }
  const { problems, openHolds } = await world.resultOf(service.stores.verify());
  for (const problem of problems) accuse("the ledger verifies", problem);
  if (openHolds > 0) accuse("no hold stays open", `${openHolds} holds`);
  for await (const wallet of service.stores.ledger.allWallets()) books.compare(wallet);
  for (const [keyId, wallet] of books.moved) {
    const key = await service.stores.keys.get(keyId);
    if (key?.walletId !== wallet) {
      accuse("a key has the wallet of its last move", `${keyId}: ${key?.walletId}, not ${wallet}`);
    }
  }
  for (const caller of world.callers) judgeCaller(world, caller, accuse);
  await judgeLog(world, service, accuse);
}

/**
 * Checks that rows of the request log match the journal, and that each settlement is in exactly one
 * row; one whose call failed while it was in doubt may be in the row of the failure, too.
 */
async function judgeLog(
  world: WorldFacts,
  service: SimulatedService,
  accuse: Accuse,
): Promise<void> {
  const { records } = await service.stores.log.search({ limit: 1_000 });
  const rows = new Map<string, number>();
  for (const id of records.flatMap(({ holdIds }) => holdIds)) rows.set(id, (rows.get(id) ?? 0) + 1);
  for (const { holdId } of world.books.settlements) {
    if (rows.get(holdId) === 1) continue;
    // Its failure was answered and logged, and then the settlement was found to have landed.
    if (rows.get(holdId) === 2 && world.doubted.has(holdId)) continue;
    if (!rows.has(holdId) && world.notLogged.has(ownerOf(holdId))) continue;
    accuse("a settlement is in one row of the log", `${holdId}: ${rows.get(holdId) ?? 0}`);
  }
  for (const { requestId, holdIds, charged } of records) {
    if (holdIds.some((id) => world.doubted.has(id))) continue;
    const booked = chargedTo(world, { holds: holdIds });
    if (BigInt(charged.replace(".", "")) === booked) continue;
    accuse(
      "the log matches the journal",
      `${requestId}: ${charged}, ${booked} micro-credits`,
    );
  }
}

function judgeCaller(world: WorldFacts, caller: Caller, accuse: Accuse): void {
  const { number, state, status } = caller;
  if (caller.wasFooled) accuse("a broken stream reports an error", `request ${number}`);
  const charged = chargedTo(world, caller);
  // If a settlement was in doubt for half a minute, the operator was informed.
  const isDoubted = caller.holds.some((id) => world.doubted.has(id));
  if (caller.question.split !== undefined) {
    const isLate = caller.holds.some((id) => world.late.has(id));
    const late = world.books.settlements.filter(({ holdId }) =>
      world.late.has(holdId) && caller.holds.includes(holdId)
    );
    return judgeSplitEnd(caller, { charged, isDoubted, isLate, late }, accuse);
  }
  if (state === "refused" && charged > 0n && !isDoubted) {
    accuse("a refused caller pays nothing", `request ${number}: status ${status}, ${charged}`);
  }
  if (state === "refused" && status === 402 && caller.isClosed()) {
    accuse("a call on a closed wallet is refused for that", `request ${number}`);
  }
  const last = world.books.holds.get(caller.holds.at(-1) ?? "");
  if (caller.wordsRead > 0 && last?.end === "void") {
    accuse("what was delivered is billed", `request ${number}`);
  }
}

/** Checks that a charge is the cost of its call, computed independently. */
function judgeSettlement(world: WorldFacts, settlement: Settlement, accuse: Accuse): void {
  const { holdId, held, charged, writtenOff, model, priceVersion, wallet } = settlement;
  const caller = world.callers[ownerOf(holdId)];
  if (caller === undefined) return accuse("only calls are charged", holdId);
  const known = {
    ...{ model, hasLeft: caller.state === "left" || caller.stalled(world.nowMs) },
    leftForMs: world.nowMs - caller.leftMs,
    interrupted: caller.wasInterrupted,
    catalog: world.books.catalogs.get(priceVersion) ?? "",
    tiers: world.books.tiersOf(wallet, {
      from: caller.tierChanges,
      to: world.books.holds.get(holdId)?.tierChanges ?? 0,
    }),
  };
  if (caller.question.split !== undefined) judgePart(caller, { ...known, settlement }, accuse);
  else judgePlain(caller, { ...known, settlement }, accuse);
  const cost = charged + writtenOff;
  if (charged !== (cost < held ? cost : held)) {
    accuse("a charge is at most its hold", `${holdId}: ${charged} of ${cost}`);
  }
  const cap = FOUNDED_KEYS[caller.founded]?.cap;
  const whole = chargedTo(world, caller);
  if (cap !== undefined && whole > cap) {
    accuse("a request costs at most its key's cap", `${whole} of ${cap}`);
  }
}

/** Checks a request that is one call: its script bounds the cost. */
function judgePlain(
  caller: Caller,
  { settlement, tiers, ...known }: Settled,
  accuse: Accuse,
): void {
  const { holdId, charged, writtenOff, recovered } = settlement;
  const attempt = caller.attempts.find((other) => other.holdId === holdId);
  if (attempt === undefined) return accuse("only calls are charged", holdId);
  const { stream, words: promptTokens } = caller.question;
  const call = { ...known, attempt, promptTokens, stream, read: caller.wordsRead };
  const rightAt = recovered ? rightCheckpoints : rightCosts;
  const right = tiers.flatMap((tier) => rightAt({ ...call, tier }));
  const cost = charged + writtenOff;
  if (right.includes(cost)) return;
  accuse(
    recovered ? CRASH_CHARGE : RIGHT_CHARGE,
    `request ${caller.number}: ${cost} is none of ${right.join(", ")}`,
  );
}

function chargedTo(
  { books }: Pick<WorldFacts, "books">,
  { holds }: { readonly holds: readonly string[] },
): bigint {
  return books.settlements.filter(({ holdId }) => holds.includes(holdId))
    .reduce((sum, { charged }) => sum + charged, 0n);
}
