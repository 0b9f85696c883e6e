import { ServiceFault } from "../../domain/fault.ts";
import type { LedgerRefusal, Wallet } from "../../domain/ledger/ledger.ts";
import { isLow } from "../../domain/ledger/low_balance.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";
import type { Applied } from "../../ports/ledger_store.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { suggestion } from "../../config/suggestion.ts";
import { validate } from "../../http/validation.ts";
import { readBody } from "../request_body.ts";
import { readQuery } from "../request_query.ts";
import type { Answer } from "../../admin_api/answers/answer.ts";
import type { walletAnswer } from "../../admin_api/answers/wallets.ts";
import { findWallet } from "./find_wallet.ts";
import { resource, segment } from "../resource.ts";
import { lowMark, newWallet, opId, payment } from "../../admin_api/schemas/wallets.ts";
import { showStatement } from "./statement.ts";

/** Open holds that are listed. */
const HOLDS_MAX = 500;

/** `/wallets`: prepaid credit, what it is spent on, and paying more in. */
export function serveWallets(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/wallets", {
    GET: async (context) => {
      const wallets = await deps.ledger.wallets();
      return context.json({
        wallets: await Promise.all(wallets.map((wallet) => walletJson(deps, wallet))),
      });
    },
    POST: (context) => createWallet(context, deps),
  });
  resource(app, "/wallets/:id", {
    GET: async (context) =>
      context.json(await walletJson(deps, await findWallet(deps, segment(context, "id")))),
  });
  resource(app, "/wallets/:id/credit", { POST: (context) => creditWallet(context, deps) });
  resource(app, "/wallets/:id/low-balance", { POST: (context) => markLow(context, deps) });
  resource(app, "/wallets/:id/holds", { GET: (context) => listHolds(context, deps) });
  resource(app, "/wallets/:id/statement", { GET: (context) => showStatement(context, deps) });
}

async function markLow(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { below } = await readBody(context, lowMark);
  const wallet = await findWallet(deps, segment(context, "id"));
  await deps.lowBalances.set(wallet.id, below ?? undefined);
  return context.json(await walletJson(deps, wallet));
}

async function listHolds(context: AdminContext, deps: AdminDeps): Promise<Response> {
  readQuery(context, deps, () => ({}));
  const { id } = await findWallet(deps, segment(context, "id"));
  const holds = (await deps.ledger.openHolds()).filter(({ walletId }) => walletId === id);
  return context.json({
    holds: holds.slice(0, HOLDS_MAX).map((hold) => ({
      id: hold.id,
      at: new Date(hold.atMs).toISOString(),
      amount: formatCredits(hold.amount),
      key: hold.keyId,
      model: hold.model,
      log: hold.logId,
    })),
    more: Math.max(0, holds.length - HOLDS_MAX),
  });
}

async function createWallet(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const body = await readBody(context, newWallet);
  const tier = tierOf(deps, body.tier);
  const atMs = deps.clock.nowMs();
  const amount = parseCredits(body.credits ?? "0") ?? 0n;
  const opened = await deps.ledger.open({ kind: "open", walletId: body.id, tier, atMs });
  if (!opened.ok && !await wasCutShort(deps, opened.refusal, { id: body.id, tier, amount })) {
    throw ledgerFault(opened.refusal, body.id);
  }
  const wallet = amount === 0n
    ? accepted(opened, body.id)
    : accepted(await deps.ledger.credit(initialCredit(body.id, amount, atMs)), body.id);
  return context.json(await walletJson(deps, wallet), 201);
}

/**
 * Opening and crediting are two steps. A create that was interrupted between them is completed by
 * repeating it: the wallet is there, of the same tier, and nothing was ever paid in.
 */
async function wasCutShort(
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
  if (tiers.includes(tier)) return tier;
  throw new ServiceFault("invalid_request", {
    message: `There is no tier "${tier}"${suggestion(tier, tiers)}`,
    param: "tier",
  });
}

async function creditWallet(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const body = await readBody(context, payment);
  const header = context.req.header("idempotency-key");
  const key = header === undefined ? undefined : validate(opId, header);
  await findWallet(deps, id);
  const credited = await deps.ledger.credit({
    kind: "credit",
    opId: body.opId ?? key ?? deps.rng.id("op"),
    walletId: id,
    amount: parseCredits(body.credits) ?? 0n,
    note: body.note,
    atMs: deps.clock.nowMs(),
  });
  return context.json(await walletJson(deps, accepted(credited, id)));
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
    case "credits_overflow":
      return new ServiceFault("invalid_request", {
        message: `Wallet "${id}" cannot hold that many credits`,
        param: "credits",
      });
    default:
      return new ServiceFault("conflict", { message: `The ledger refused: ${refusal}` });
  }
}

async function walletJson(
  { lowBalances }: AdminDeps,
  wallet: Wallet,
): Promise<Answer<typeof walletAnswer>> {
  const mark = await lowBalances.markOf(wallet);
  return {
    id: wallet.id,
    tier: wallet.tier,
    credits: formatCredits(wallet.credits),
    available: formatCredits(wallet.available),
    held: formatCredits(wallet.held),
    spent: formatCredits(wallet.spent),
    writtenOff: formatCredits(wallet.writtenOff),
    lowBelow: formatCredits(mark.below),
    lowBelowSet: mark.isSet,
    low: isLow(wallet, mark),
  };
}
