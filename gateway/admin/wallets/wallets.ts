import { ServiceFault } from "../../domain/fault.ts";
import type { Hold, LedgerRefusal, Wallet } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";
import type { Applied } from "../../ports/ledger_store.ts";
import type { AdminDeps } from "../deps.ts";
import { operationId } from "../../admin_api/fields.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { validate } from "../../http/validation.ts";
import { isoTime } from "../json_values.ts";
import type { AdminCall, Handlers } from "../routes.ts";
import type { PageQuery } from "../../admin_api/query_fields.ts";
import { pageOf } from "../paging.ts";
import { findWallet } from "./find_wallet.ts";
import { requireTier } from "./require_tier.ts";
import { walletJson, walletState } from "./wallet_json.ts";
import { walletListJson } from "./wallet_list.ts";
import { statementJson } from "./statement.ts";

/** Handlers of wallets: prepaid credit, its holds and entries, and paying more in. */
export function walletHandlers(deps: AdminDeps) {
  const shown = (wallet: Wallet) => walletJson(wallet, deps);
  return {
    "GET /wallets": ({ query }) => walletListJson(query(), deps),
    "POST /wallets": async (call) => shown(await createWallet(deps, call)),
    "GET /wallets/{id}": async ({ path }) => shown(await findWallet(deps, path.id)),
    "POST /wallets/{id}/credit": async (call) => shown(await creditWallet(deps, call)),
    "POST /wallets/{id}/low-balance": async ({ path, body, entry }) => {
      const { below } = await body();
      const wallet = await findWallet(deps, path.id);
      await deps.lowBalances.set(wallet.id, below ?? undefined, { entry: entry(lowMarkState) });
      return shown(wallet);
    },
    "GET /wallets/{id}/holds": async ({ path, query }) => {
      const { id } = await findWallet(deps, path.id);
      const open = await deps.ledger.openHolds();
      return holdsJson(open.filter(({ walletId }) => walletId === id), query());
    },
    "GET /wallets/{id}/statement": ({ path, query }) => statementJson(deps, path.id, query()),
  } satisfies Partial<Handlers>;
}

/** Returns a mark as the audit log shows it; `null` is the default. */
function lowMarkState(below: string) {
  return { lowBelow: below === "" ? null : below };
}

function holdsJson(
  holds: readonly Hold[],
  query: PageQuery,
): AnswerOf<"GET /wallets/{id}/holds"> {
  const { rows, cursor } = pageOf(holds, query);
  return {
    holds: rows.map((hold) => ({
      id: hold.id,
      at: isoTime(hold.atMs),
      amount: formatCredits(hold.amount),
      key: hold.keyId,
      model: hold.model,
      log: hold.logId,
    })),
    cursor,
  };
}

async function createWallet(
  deps: AdminDeps,
  call: AdminCall<"POST /wallets">,
): Promise<Wallet> {
  const body = await call.body();
  // Each of the two steps has its entry.
  const noted = { entry: call.entry(walletState) };
  const tier = tierOf(deps, body.tier);
  const atMs = deps.clock.nowMs();
  const amount = parseCredits(body.credits ?? "0") ?? 0n;
  const opened = await deps.ledger.open({ kind: "open", walletId: body.id, tier, atMs }, noted);
  if (!opened.ok && !await wasInterrupted(deps, opened.refusal, { id: body.id, tier, amount })) {
    throw ledgerFault(opened.refusal, body.id);
  }
  return amount === 0n
    ? accepted(opened, body.id)
    : accepted(await deps.ledger.credit(initialCredit(body.id, amount, atMs), noted), body.id);
}

/**
 * Opening and crediting are two steps. A create that was interrupted between them is completed by
 * repeating it: the wallet is there, of the same tier, and nothing was ever paid in.
 */
async function wasInterrupted(
  deps: AdminDeps,
  refusal: LedgerRefusal,
  wanted: { id: string; tier: string; amount: Micros },
): Promise<boolean> {
  if (refusal !== "wallet_exists" || wanted.amount === 0n) return false;
  const wallet = await deps.ledger.wallet(wanted.id);
  return wallet !== undefined && wallet.tier === wanted.tier && wallet.credits === 0n;
}

function initialCredit(id: string, amount: Micros, atMs: number) {
  const note = "Initial credits";
  return { kind: "credit", opId: `open:${id}`, walletId: id, amount, note, atMs } as const;
}

function tierOf(deps: AdminDeps, wanted: string | undefined): string {
  const tiers = deps.catalogs.current().tiers.map((tier) => tier.id);
  const tier = wanted ?? (tiers.includes("standard") ? "standard" : tiers[0] ?? "standard");
  requireTier(deps, tier);
  return tier;
}

async function creditWallet(
  deps: AdminDeps,
  { context, path: { id }, body, entry }: AdminCall<"POST /wallets/{id}/credit">,
): Promise<Wallet> {
  const { credits, note, opId } = await body();
  const header = context.req.header("idempotency-key");
  const key = header === undefined ? undefined : validate(operationId, header);
  await findWallet(deps, id);
  const credited = await deps.ledger.credit({
    kind: "credit",
    opId: opId ?? key ?? deps.rng.id("op"),
    walletId: id,
    amount: parseCredits(credits) ?? 0n,
    note,
    atMs: deps.clock.nowMs(),
  }, { entry: entry(walletState) });
  return accepted(credited, id);
}

function accepted<T>(applied: Applied<T>, walletId: string): T {
  if (applied.ok) return applied.value;
  throw ledgerFault(applied.refusal, walletId);
}

function ledgerFault(refusal: LedgerRefusal, id: string): ServiceFault {
  switch (refusal) {
    case "wallet_exists":
      return new ServiceFault("conflict", { message: `There is a wallet "${id}" already` });
    case "id_reused":
      return new ServiceFault("conflict", {
        message: "This operation id was used for something else; choose a new one",
        param: "opId",
      });
    case "wallet_closed":
      return new ServiceFault("conflict", { message: `Wallet "${id}" is closed` });
    case "credits_overflow":
      return new ServiceFault("invalid_request", {
        message: `Wallet "${id}" cannot hold that many credits`,
        param: "credits",
      });
    default:
      return new ServiceFault("conflict", { message: `The ledger refused: ${refusal}` });
  }
}
