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

/** Times that the books are read again because they changed between two looks. */
const LOOKS = 3;

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
    if (after !== undefined && after < 0n) throw notThatAmount();
    return json;
  });
  return { entries, cursor: page.cursor ?? null, available: creditsOrNull(after) };
}

/** No wallet has ever had less than nothing. */
function notThatAmount(): ServiceFault {
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

/** A page with what is available after its first entry; left out where the books do not come to rest. */
async function pageAtRest(deps: AdminDeps, id: string, read: Read) {
  let before = await findWallet(deps, id);
  let page = await read();
  for (let look = 0; look < LOOKS; look++) {
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
