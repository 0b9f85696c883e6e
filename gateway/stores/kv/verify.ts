/**
 * The proof that the books are right: everything recomputed from the journal.
 *
 * @module
 */

import type { JournalEntry, KeySpend, Wallet } from "../../domain/ledger.ts";
import { emptyBooks, type ReplayedBooks, replayEntry } from "../../domain/ledger_replay.ts";
import { decodeEntry } from "./journal_codec.ts";
import { type Head, HEAD_KEY } from "./rows.ts";
import { EMPTY_TAIL, readSegments, type Tail } from "./segment.ts";

/** What the journal is compared with. */
export interface BooksSnapshot {
  readonly journal: Tail;
  readonly wallets: ReadonlyMap<string, Wallet>;
  readonly spends: ReadonlyMap<string, KeySpend>;
}

/** What a verification came to. */
export interface Verification {
  readonly segments: number;
  readonly entries: number;
  readonly wallets: number;
  /** Holds not yet ended. */
  readonly openHolds: number;
  /** One sentence each; empty where the books are right. */
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 100;

/** The rows of a store that nobody writes to. */
export async function readSnapshot(kv: Deno.Kv): Promise<BooksSnapshot> {
  const head = await kv.get<Head>(HEAD_KEY);
  const wallets = new Map<string, Wallet>();
  for await (const { value } of kv.list<Wallet>({ prefix: ["wallet"] })) {
    wallets.set(value.id, value);
  }
  const spends = new Map<string, KeySpend>();
  for await (const { value } of kv.list<KeySpend>({ prefix: ["spend"] })) {
    spends.set(value.keyId, value);
  }
  return { journal: head.value?.journal ?? EMPTY_TAIL, wallets, spends };
}

/** Checks the hash chain, replays every entry and compares wallets and keys with the outcome. */
export async function verifyBooks(kv: Deno.Kv, snapshot: BooksSnapshot): Promise<Verification> {
  const books = emptyBooks();
  const { problems } = books;
  const { journal } = snapshot;
  let entries = 0;
  let segments = 0;
  let hash = "";
  for await (const segment of readSegments(kv, "journal", { from: 1, to: journal.segment })) {
    if (problems.length > MAX_PROBLEMS) break;
    const { header } = segment;
    segments++;
    if (header.segment !== segments) {
      problems.push(`Journal segment ${segments} is missing`);
      segments = header.segment;
    } else if (header.hash !== hash) {
      problems.push(`Journal segment ${segments} does not follow from the one before`);
    }
    hash = segment.hash();
    for (const line of segment.lines) {
      entries++;
      replayLine(books, line);
    }
    if (header.total !== entries) problems.push(`Journal segment ${segments} lacks lines`);
  }
  if (segments !== journal.segment || hash !== journal.hash) {
    problems.push(`The journal does not end as the head says, at segment ${journal.segment}`);
  }
  compare("Wallet", snapshot.wallets, books.wallets, problems);
  compare("Key", snapshot.spends, books.spends, problems);
  const openHolds = books.holds.size;
  return { segments, entries, wallets: books.wallets.size, openHolds, problems };
}

function replayLine(books: ReplayedBooks, line: string): void {
  let entry: JournalEntry;
  try {
    entry = decodeEntry(line);
  } catch (error) {
    books.problems.push(`A line of the journal is no entry: ${error}`);
    return;
  }
  replayEntry(books, entry);
}

function compare(
  what: string,
  rows: ReadonlyMap<string, object>,
  replayed: ReadonlyMap<string, object>,
  problems: string[],
): void {
  for (const id of new Set([...rows.keys(), ...replayed.keys()])) {
    const row = describe(rows.get(id));
    const recomputed = describe(replayed.get(id));
    if (row === recomputed) continue;
    problems.push(`${what} "${id}" is ${row}, its journal comes to ${recomputed}`);
  }
}

function describe(value: object | undefined): string {
  if (value === undefined) return "absent";
  return Object.entries(value).map(([name, field]) => `${name} ${field}`).sort().join(", ");
}
