/**
 * The invariants at the end of a run of several instances.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { KeySpend, Wallet } from "../../../gateway/domain/ledger/ledger.ts";
import { emptyBooks, replayEntry } from "../../../gateway/domain/ledger/replay.ts";
import { EMPTY_TRAIL } from "../../../gateway/domain/operators/trail.ts";
import { endAfter } from "../../../gateway/stores/trail_chain.ts";
import { decodeEntry } from "../../../gateway/stores/kv/journal/journal_codec.ts";
import { decodeWallet, namedOf } from "../../../gateway/stores/postgres/ledger/rows.ts";
import type { Accuse, ReckonedBooks } from "../books.ts";
import type { Call } from "./call.ts";
import type { SideTables } from "./side_tables.ts";
import type { Tables } from "./tables.ts";
import type { World } from "./world.ts";

/** Checks every call against the journal, as soon as its caller has its answer. */
export function judgeCalls({ calls, books }: World, seen: Set<Call>, accuse: Accuse): void {
  for (const call of calls) {
    const { holdId, held, state } = call;
    const hold = books.holds.get(holdId);
    if (held !== undefined && hold?.amount !== held) {
      accuse("an answered hold is durable", `${holdId}: ${held}, in the journal ${hold?.amount}`);
    }
    if (!call.isDone || seen.has(call)) continue;
    seen.add(call);
    const end = hold?.end ?? "none";
    if (state === "settled" && end !== "settle") {
      accuse("an answered settlement is durable", `${holdId}: ${end}`);
    }
    // One that was ended for its instance, without a charge, is void.
    const isExpired = call.wasFenced && end === "expire";
    if (state === "void" && end !== "void" && !isExpired) {
      accuse("an answered void is durable", holdId);
    }
  }
}

/** Checks what is left when everything has come to its end. */
export function judgeEnd(world: World, accuse: Accuse): void {
  const { calls, books, database: { tables }, payments } = world;
  for (const call of calls) judgeCall(call, world, accuse);
  for (const { opId, isRefused } of payments) {
    if (books.credits.has(opId) === isRefused) accuse("a payment is in the books", opId);
  }
  world.corrections.judge();
  judgeTrail(world.database.side, accuse);
  for (const { holdId, charged } of books.settlements) {
    const call = calls.find((other) => other.holdId === holdId);
    if (call?.charged !== undefined && call.charged !== charged) {
      accuse("a caller pays what is in the books", `${holdId}: ${call.charged} and ${charged}`);
    }
  }
  judgeTables(tables, { accuse, books });
}

/** Follows the chain of the audit log. */
function judgeTrail({ trail, trailEnd }: SideTables, accuse: Accuse): void {
  const { place, hash } = endAfter(EMPTY_TRAIL, trail);
  if (place !== trailEnd.place || hash !== trailEnd.hash) {
    accuse("the audit log ends with its last entry", JSON.stringify(trailEnd));
  }
}

function judgeCall(call: Call, { books, database }: World, accuse: Accuse): void {
  const { holdId, state, course, logId } = call;
  const hold = books.holds.get(holdId);
  if (hold?.end === "open") accuse("no hold stays open", holdId);
  const settlement = books.settlements.find((other) => other.holdId === holdId);
  if (state === "failed" && hold !== undefined && hold.end === "settle" && !call.wasFenced) {
    accuse("a failed call pays nothing", holdId);
  }
  if (state === "refused" && call.held === undefined && hold !== undefined) {
    accuse("a refused hold changes nothing", `${holdId}: ${call.refusal}`);
  }
  if (settlement === undefined || settlement.recovered) return;
  const { amount } = hold ?? { amount: 0n };
  const cost = BigInt(course.cost ?? 0);
  if (settlement.charged !== (cost < amount ? cost : amount)) {
    accuse("a charge is the cost, up to the hold", `${holdId}: ${settlement.charged} of ${cost}`);
  }
  if (!database.tables.log.has(logId)) {
    accuse("a settlement is in the request log", logId);
  }
}

/** Compares the rows with a replay of the journal, and follows the chain. */
function judgeTables(
  tables: Tables,
  { accuse, books }: { readonly accuse: Accuse; readonly books: ReckonedBooks },
): void {
  const problems: string[] = [];
  const replayed = emptyBooks(problems);
  let hash = "";
  let entries = 0;
  for (const [at, batch] of tables.batches.entries()) {
    const digest = createHash("sha256").update(hash);
    for (const line of batch.lines) {
      digest.update("\n").update(line);
      if (tables.journal.get(++entries)?.line !== line) {
        accuse("the journal is in its batches", `entry ${entries}`);
      }
      replayEntry(replayed, decodeEntry(line));
    }
    hash = digest.digest("hex");
    if (batch.hash !== hash || batch.batch !== at + 1) {
      accuse("batches are a chain", `batch ${batch.batch}`);
    }
  }
  const { head } = tables;
  if (head.hash !== hash || head.entries !== entries || tables.journal.size !== entries) {
    accuse("the head is the end of the chain", JSON.stringify(head));
  }
  for (const problem of problems) accuse("the journal can be replayed", problem);
  if (tables.wallets.size !== replayed.wallets.size) accuse("each wallet has a row", "");
  for (const [id, wallet] of replayed.wallets) judgeWallet(tables, id, { wallet, accuse });
  judgeSpends(tables, replayed.spends, { accuse, books });
  const ends = [...tables.batches].flatMap(({ lines }) => lines.map(decodeEntry))
    .filter(({ op }) => op === "settle" || op === "void" || op === "expire");
  if (ends.length !== tables.ended.size) {
    accuse("each ended hold is remembered", `${tables.ended.size} of ${ends.length}`);
  }
}

function judgeWallet(
  { wallets }: Tables,
  id: string,
  { wallet, accuse }: { readonly wallet: Wallet; readonly accuse: Accuse },
): void {
  const row = wallets.get(id);
  if (row === undefined) return accuse("each wallet has a row", id);
  const { written_off: writtenOff, created_at_ms: createdAtMs, closed_at_ms: closedAtMs } = row;
  const stored =
    decodeWallet(JSON.stringify({ ...row, writtenOff, createdAtMs, closedAtMs })).wallet;
  const [one, other] = [stored, wallet].map(textOf);
  if (one !== other) accuse("rows of wallets are what the journal comes to", `${one}, ${other}`);
}

function judgeSpends(
  { spends }: Tables,
  replayed: ReadonlyMap<string, KeySpend>,
  { accuse, books }: { readonly accuse: Accuse; readonly books: ReckonedBooks },
): void {
  for (const [id, spend] of replayed) {
    const row = spends.get(id);
    const { named } = namedOf(row?.["named"] as string | null | undefined);
    books.compareSpend({ ...spend, named });
    if (row?.["total_spent"] === `${spend.totalSpent}` && row["held"] === `${spend.held}`) continue;
    accuse("rows of spends are what the journal comes to", id);
  }
}

function textOf(wallet: Wallet): string {
  const { id, tier, credits, available, held, spent, writtenOff, createdAtMs } = wallet;
  const times = [createdAtMs, wallet.closedAtMs];
  return [id, tier, credits, available, held, spent, writtenOff, ...times].join(" ");
}
