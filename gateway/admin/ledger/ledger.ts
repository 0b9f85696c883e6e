import { accepts } from "@std/http/negotiation";
import type {
  JournalRange,
  JournalReading,
  Verification,
  VerificationStep,
} from "../../ports/ledger_store.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { jsonLine, NDJSON, ndjson } from "../ndjson.ts";
import { readQuery } from "../request_query.ts";
import type { Answer } from "../../admin_api/answers/answer.ts";
import type { verificationAnswer } from "../../admin_api/answers/ledger.ts";
import { resource } from "../resource.ts";
import { exportQuery } from "../../admin_api/schemas/wallets.ts";
import { findWallet } from "../wallets/find_wallet.ts";
import { entryJson } from "./journal_json.ts";

/** Time between two lines that tell how far a verification has come, in milliseconds. */
const PROGRESS_MS = 100;
/** Characters of an export that are sent together, at least. */
const PIECE_CHARS = 32 * 1024;
/** What is logged elsewhere for clients that closed the request; nobody reads it. */
const CLIENT_LEFT = 499;

/** `/ledger`: the proof that the books are right, and the journal itself. */
export function serveLedger(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/ledger/verify", { GET: (context) => verify(context, deps) });
  resource(app, "/ledger/export", { GET: (context) => exportJournal(context, deps) });
}

/** One JSON document, or for a client that accepts lines: progress, and the same as `result`. */
async function verify(context: AdminContext, deps: AdminDeps): Promise<Response> {
  readQuery(context, deps, () => ({}));
  const steps = deps.verifyLedger();
  if (accepts(context.req.raw, "application/json", NDJSON) === NDJSON) {
    return ndjson(context, deps, progressLines(steps, deps));
  }
  const { signal } = context.req.raw;
  for await (const { result } of steps) {
    if (result !== undefined) return context.json(verificationJson(result));
    if (signal.aborted) break;
  }
  return new Response(null, { status: CLIENT_LEFT });
}

async function* progressLines(
  steps: AsyncIterable<VerificationStep>,
  { clock }: Pick<AdminDeps, "clock">,
): AsyncGenerator<string, void> {
  let toldMs = clock.monotonicMs();
  for await (const { entries, total, result } of steps) {
    const nowMs = clock.monotonicMs();
    if (result !== undefined) yield jsonLine({ result: verificationJson(result) });
    else if (nowMs - toldMs < PROGRESS_MS) yield "";
    else {
      toldMs = nowMs;
      yield jsonLine({ progress: { entries, total } });
    }
  }
}

function verificationJson(
  { problems, moreProblems, ...counts }: Verification,
): Answer<typeof verificationAnswer> {
  return { ok: problems.length === 0, ...counts, problems, moreProblems };
}

/**
 * Every entry, oldest first, a line each, and a last line of kind `end` that says how many there are
 * and where the journal ended: an export without it was cut.
 */
async function exportJournal(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { since, until, wallet } = readQuery(context, deps, exportQuery);
  if (wallet !== undefined) await findWallet(deps, wallet);
  const range = { sinceMs: since, untilMs: until, walletId: wallet };
  const reading = deps.ledger.journal(range);
  const answer = ndjson(context, deps, exportLines(reading, range, deps.clock.nowMs()));
  answer.headers.set("x-ledger-entries", String(reading.total));
  return answer;
}

async function* exportLines(
  reading: JournalReading,
  range: JournalRange,
  atMs: number,
): AsyncGenerator<string, void> {
  let entries = 0;
  let text = "";
  for await (const placed of reading.entries()) {
    entries += placed.length;
    for (const { place, segment, entry } of placed) {
      text += jsonLine({ place, segment, wallet: entry.wallet, ...entryJson(entry) });
    }
    // A piece costs as much as many lines; and of a wallet there may be few.
    yield text.length < PIECE_CHARS ? "" : text;
    if (text.length >= PIECE_CHARS) text = "";
  }
  yield text + jsonLine({
    kind: "end",
    entries,
    journal: { entries: reading.total, segments: reading.segments, head: reading.head },
    since: isoOf(range.sinceMs),
    until: isoOf(range.untilMs),
    wallet: range.walletId ?? null,
    at: isoOf(atMs),
  });
}

function isoOf(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}
