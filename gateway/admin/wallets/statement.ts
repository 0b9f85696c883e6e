import { ServiceFault } from "../../domain/fault.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { type Micros, parseCredits } from "../../domain/ledger/money.ts";
import type { JournalPage } from "../../ports/ledger_store.ts";
import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { AVAILABLE_OF_PAGE } from "../../admin_api/operations/wallets.ts";
import type { AdminDeps } from "../deps.ts";
import { creditsOrNull } from "../json_values.ts";
import { changeOf, entryJson } from "../ledger/journal_json.ts";
import { findWallet } from "./find_wallet.ts";

/** Maximum number of repeated reads when the books change between two of them. */
const READS_MAX = 3;

/**
 * Returns a page of journal entries, newest first, with the amount available after each. That is known
 * where every entry up to now is shown: on the first page without `kind` and `until`, and on the pages
 * after it, which send back its `available` besides its `cursor`.
 */
export async function statementJson(
  deps: AdminDeps,
  id: string,
  query: CheckedQueryOf<"GET /wallets/{id}/statement">,
): Promise<AnswerOf<"GET /wallets/{id}/statement">> {
  const read = () =>
    deps.ledger.statement(id, {
      limit: query.limit,
      cursor: query.cursor,
      sinceMs: query.since,
      untilMs: query.until,
      kind: query.kind,
    });
  const isWhole = query.kind === undefined && query.until === undefined;
  const { page, available } = isWhole && query.cursor === undefined
    ? await pageAtRest(deps, id, read)
    : {
      page: await readOf(deps, id, read),
      available: isWhole ? parseCredits(query.available ?? "") : undefined,
    };
  let after: Micros | undefined = available;
  const entries = page.entries.map((entry) => {
    const json = { ...entryJson(entry), available: creditsOrNull(after) };
    if (after !== undefined) after -= changeOf(entry);
    if (after !== undefined && after < 0n) throw wrongAvailable();
    return json;
  });
  return { entries, cursor: page.cursor ?? null, available: creditsOrNull(after) };
}

/** An amount below zero was never available, so the client's `available` is wrong. */
function wrongAvailable(): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: `Cannot accept "available": ${AVAILABLE_OF_PAGE}`,
    param: "available",
  });
}

type Read = () => Promise<JournalPage>;

async function readOf(deps: AdminDeps, id: string, read: Read): Promise<JournalPage> {
  await findWallet(deps, id);
  return await read();
}

/**
 * Returns a page with the amount available after its first entry; without it where the books keep
 * changing.
 */
async function pageAtRest(deps: AdminDeps, id: string, read: Read) {
  let before = await findWallet(deps, id);
  let page = await read();
  for (let round = 0; round < READS_MAX; round++) {
    const now = await findWallet(deps, id);
    if (isSame(before, now)) return { page, available: now.available };
    before = now;
    page = await read();
  }
  return { page, available: undefined };
}

function isSame(a: Wallet, b: Wallet): boolean {
  return a.available === b.available && a.held === b.held && a.spent === b.spent;
}
