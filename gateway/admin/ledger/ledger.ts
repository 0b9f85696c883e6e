import { accepts } from "@std/http/negotiation";
import type {
  JournalRange,
  JournalReading,
  Verification,
  VerificationStep,
} from "../../ports/ledger_store.ts";
import { LINES_TYPE } from "../../admin_api/operation.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { CALLER_DISCONNECTED_STATUS } from "../../flows/request/log_failure.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { isoTimeOrNull } from "../json_values.ts";
import { jsonLine, ndjson } from "../ndjson.ts";
import type { Handlers } from "../routes.ts";
import { findWallet } from "../wallets/find_wallet.ts";
import { entryJson } from "./journal_json.ts";

/** Time between two lines of progress of a verification, in milliseconds. */
const PROGRESS_MS = 100;
/** Minimum number of characters of an export that are sent together. */
const PIECE_CHARS = 32 * 1024;

/** Handlers of the books: their verification, and the export of the journal. */
export function ledgerHandlers(deps: AdminDeps) {
  return {
    "GET /ledger/verify": ({ context, query }) => {
      query();
      return verify(context, deps);
    },
    "GET /ledger/export": async ({ context, query }) => {
      const { since, until, wallet } = query();
      if (wallet !== undefined) await findWallet(deps, wallet);
      const range = { sinceMs: since, untilMs: until, walletId: wallet };
      const reading = await deps.ledger.journal(range);
      const lines = ndjson(context, deps, exportLines(reading, range, deps.clock.nowMs()));
      lines.headers.set("x-ledger-entries", String(reading.total));
      return lines;
    },
  } satisfies Partial<Handlers>;
}

/** Returns one JSON document, or for a client that accepts lines: progress, and the same as `result`. */
async function verify(
  context: AdminContext,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /ledger/verify"> | Response> {
  const steps = deps.verifyLedger();
  if (accepts(context.req.raw, "application/json", LINES_TYPE) === LINES_TYPE) {
    return ndjson(context, deps, progressLines(steps, deps));
  }
  const { signal } = context.req.raw;
  for await (const { result } of steps) {
    if (result !== undefined) return verificationJson(result);
    if (signal.aborted) break;
  }
  return new Response(null, { status: CALLER_DISCONNECTED_STATUS });
}

async function* progressLines(
  steps: AsyncIterable<VerificationStep>,
  { clock }: Pick<AdminDeps, "clock">,
): AsyncGenerator<string, void> {
  let shownMs = clock.monotonicMs();
  for await (const { entries, total, result } of steps) {
    const nowMs = clock.monotonicMs();
    if (result !== undefined) yield jsonLine({ result: verificationJson(result) });
    else if (nowMs - shownMs < PROGRESS_MS) yield "";
    else {
      shownMs = nowMs;
      yield jsonLine({ progress: { entries, total } });
    }
  }
}

function verificationJson(
  { problems, moreProblems, ...counts }: Verification,
): AnswerOf<"GET /ledger/verify"> {
  return { ok: problems.length === 0, ...counts, problems, moreProblems };
}

/**
 * Yields every entry, oldest first, a line each, and a last line of kind `end` with the number of
 * entries and the end of the journal: an export without it was cut.
 */
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
    // Sending a piece costs as much as many lines; a wallet may have few.
    yield text.length < PIECE_CHARS ? "" : text;
    if (text.length >= PIECE_CHARS) text = "";
  }
  yield text + jsonLine({
    kind: "end",
    entries,
    journal: { entries: reading.total, segments: reading.segments, head: reading.head },
    since: isoTimeOrNull(range.sinceMs),
    until: isoTimeOrNull(range.untilMs),
    wallet: range.walletId ?? null,
    at: isoTimeOrNull(atMs),
  });
}
