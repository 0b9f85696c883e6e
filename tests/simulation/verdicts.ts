/**
 * What must hold: while money moves, after each step, and when everything has come to its end.
 *
 * @module
 */

import type { Accuse, Settlement } from "./books.ts";
import type { Caller } from "./caller.ts";
import { rightCheckpoints, rightCosts } from "./expected_charge.ts";
import { FOUNDED_KEYS, TIERS } from "./founding.ts";
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
import type { World } from "./world.ts";

/** Judges each hold and each settlement as it becomes durable. */
export function judgeBooks(world: World, accuse: Accuse): void {
  const { books } = world;
  books.onSettlement = (settlement) => judgeSettlement(world, settlement, accuse);
  books.onHold = (holdId, { owner }) => {
    judgeCap(world, holdId, accuse);
    const founded = world.keys.find((key) => key?.id === owner)?.founded;
    const budget = founded === undefined ? undefined : FOUNDED_KEYS[founded]?.budget;
    const used = books.owners.get(owner) ?? 0n;
    if (budget === undefined || used <= budget) return;
    accuse("a key stays within its budget", `${owner}: ${used} of ${budget}`);
  };
}

/** What a request holds and has paid is within its key's cap, however many of its calls run at once. */
function judgeCap({ books, callers }: World, holdId: string, accuse: Accuse): void {
  const caller = callers[ownerOf(holdId)];
  const cap = FOUNDED_KEYS[caller?.founded ?? -1]?.cap;
  if (caller === undefined || cap === undefined) return;
  const held = caller.holds.map((id) => books.holds.get(id)).filter((hold) => hold?.end === "open")
    .reduce((sum, hold) => sum + (hold?.amount ?? 0n), chargedTo({ books }, caller));
  if (held <= cap) return;
  accuse("a request holds at most its key's cap", `request ${caller.number}: ${held} of ${cap}`);
}

/**
 * Judges a call of an upstream as it comes in: each that is under way has a hold of its own, and none
 * begins for a caller who has left.
 */
export function judgeBegin(
  { books }: World,
  { caller, attempt }: { readonly caller: Caller; readonly attempt: Attempt },
  accuse: Accuse,
): void {
  const { holdId } = attempt;
  if (caller.state === "left") {
    accuse("nothing begins for who has left", `request ${caller.number}: ${attempt.part}`);
  }
  const open = caller.holds.filter((id) => books.holds.get(id)?.end === "open");
  const isHeld = holdId === undefined
    ? open.length >= caller.attempts.filter(({ over }) => !over).length
    : open.includes(holdId);
  if (isHeld) return;
  accuse("a hold is durable before the upstream's first byte", `request ${caller.number}`);
}

/** Asks what must hold after each step. Of callers that were seen complete it asks once. */
export async function judgeStep(
  world: World,
  seen: Set<Caller>,
  accuse: Accuse,
): Promise<void> {
  for (const caller of world.callers) {
    if (caller.state !== "complete" || seen.has(caller)) continue;
    seen.add(caller);
    const charged = chargedTo(world, caller);
    const { billed } = caller.told;
    // A task whose charge was in doubt for too long has failed: that it was charged, the operator knows.
    const doubted = caller.holds.filter((id) => world.told.has(id));
    if (billed !== charged && billed !== charged - chargedTo(world, { holds: doubted })) {
      const told = `request ${caller.number} was told ${billed}, the journal says ${charged}`;
      accuse("what a caller saw complete is in the books", told);
    }
    judgeAnswer(caller, accuse);
  }
  for (const caller of world.callers) judgeLeft(caller, accuse);
  const { service, books } = world;
  for (const wallet of await service?.stores.ledger.wallets() ?? []) books.weigh(wallet);
}

/** What nobody waits for is called off at its upstream, unless that is drained. */
function judgeLeft({ state, attempts, number }: Caller, accuse: Accuse): void {
  if (state !== "left") return;
  const kept = attempts.find(({ over, cancelled, drains }) => !(over || cancelled || drains));
  if (kept !== undefined) accuse("who has left is worked for no more", `${number}: ${kept.part}`);
}

/** Asks what must hold when everything has come to its end. */
export async function judgeEnd(world: World, accuse: Accuse): Promise<void> {
  const { service, books } = world;
  if (service === undefined) return accuse("a service starts on what it left", "none is up");
  const { problems, openHolds } = await service.stores.verify();
  for (const problem of problems) accuse("the ledger verifies", problem);
  if (openHolds > 0) accuse("no hold is left", `${openHolds} holds`);
  for (const wallet of await service.stores.ledger.wallets()) books.compare(wallet);
  for (const caller of world.callers) judgeCaller(world, caller, accuse);
  await judgeLog(world, service, accuse);
}

/**
 * Rows of the request log say what the journal says of their holds, and each settlement is in one row.
 */
async function judgeLog(world: World, service: SimulatedService, accuse: Accuse): Promise<void> {
  const { records } = await service.stores.log.search({ limit: 1_000 });
  const rows = new Map<string, number>();
  for (const id of records.flatMap(({ holdIds }) => holdIds)) rows.set(id, (rows.get(id) ?? 0) + 1);
  for (const { holdId } of world.books.settlements) {
    if (rows.get(holdId) === 1) continue;
    if (!rows.has(holdId) && world.notLogged.has(ownerOf(holdId))) continue;
    accuse("a settlement is in one row of the log", `${holdId}: ${rows.get(holdId) ?? 0}`);
  }
  for (const { requestId, holdIds, charged } of records) {
    if (holdIds.some((id) => world.told.has(id))) continue;
    const booked = chargedTo(world, { holds: holdIds });
    if (BigInt(charged.replace(".", "")) === booked) continue;
    accuse(
      "the log says what the journal says",
      `${requestId}: ${charged}, ${booked} micro-credits`,
    );
  }
}

function judgeCaller(world: World, caller: Caller, accuse: Accuse): void {
  const { number, state, status } = caller;
  if (caller.wasFooled) accuse("a broken stream says so", `request ${number}`);
  const charged = chargedTo(world, caller);
  // Where for half a minute nobody could tell whether a settlement had landed, the operator knows.
  const isTold = caller.holds.some((id) => world.told.has(id));
  if (caller.question.split !== undefined) {
    const isLate = caller.holds.some((id) => world.late.has(id));
    return judgeSplitEnd(caller, { charged, isTold, isLate }, accuse);
  }
  if (state === "refused" && charged > 0n && !isTold) {
    accuse("who is refused pays nothing", `request ${number}: status ${status}, ${charged}`);
  }
  const last = world.books.holds.get(caller.holds.at(-1) ?? "");
  if (caller.wordsRead > 0 && last?.end === "void") {
    accuse("what was delivered is billed", `request ${number}`);
  }
}

/** A charge is what the call cost, by a reckoning of its own. */
function judgeSettlement(world: World, settlement: Settlement, accuse: Accuse): void {
  const { holdId, held, charged, writtenOff, model, priceVersion, wallet } = settlement;
  const caller = world.callers[ownerOf(holdId)];
  if (caller === undefined) return accuse("only calls are charged", holdId);
  const known = {
    ...{ model, left: caller.state === "left" || caller.stalled(world.nowMs) },
    leftForMs: world.nowMs - caller.leftMs,
    interrupted: caller.wasInterrupted,
    catalog: world.books.catalogs.get(priceVersion) ?? "",
    tier: TIERS[Number(wallet.slice("wallet-".length))] ?? "",
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

/** A request that is one call: it has its hold, and its script says what that may cost. */
function judgePlain(
  caller: Caller,
  { settlement, ...known }: Settled,
  accuse: Accuse,
): void {
  const { holdId, charged, writtenOff, recovered } = settlement;
  const attempt = caller.attempts.find((other) => other.holdId === holdId);
  if (attempt === undefined) return accuse("only calls are charged", holdId);
  const { stream, words: asked } = caller.question;
  const call = { ...known, attempt, asked, stream, read: caller.wordsRead };
  const right = (recovered ? rightCheckpoints : rightCosts)(call);
  const cost = charged + writtenOff;
  if (right.includes(cost)) return;
  accuse(
    recovered ? CRASH_CHARGE : RIGHT_CHARGE,
    `request ${caller.number}: ${cost} is none of ${right.join(", ")}`,
  );
}

function chargedTo(
  { books }: Pick<World, "books">,
  { holds }: { readonly holds: readonly string[] },
): bigint {
  return books.settlements.filter(({ holdId }) => holds.includes(holdId))
    .reduce((sum, { charged }) => sum + charged, 0n);
}
