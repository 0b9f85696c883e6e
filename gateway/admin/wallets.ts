import { ServiceFault } from "../domain/fault.ts";
import type { JournalEntry, LedgerRefusal, Wallet } from "../domain/ledger.ts";
import { formatCredits, type Micros, parseCredits } from "../domain/money.ts";
import type { Applied } from "../ports/ledger_store.ts";
import type { AdminApp, AdminContext, AdminDeps } from "./deps.ts";
import { suggestion } from "./suggestion.ts";
import { validate } from "../http/validation.ts";
import { readBody } from "./request_body.ts";
import { readQuery } from "./request_query.ts";
import type { Answer } from "./answers/answer.ts";
import type { walletAnswer } from "./answers/wallets.ts";
import { resource, segment } from "./resource.ts";
import { newWallet, opId, payment, statementQuery } from "./schemas/wallets.ts";

/** `/wallets`: prepaid credit, what it is spent on, and paying more in. */
export function serveWallets(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/wallets", {
    GET: async (context) => {
      const wallets = await deps.ledger.wallets();
      return context.json({ wallets: wallets.map(walletJson) });
    },
    POST: (context) => createWallet(context, deps),
  });
  resource(app, "/wallets/:id", {
    GET: async (context) =>
      context.json(walletJson(await findWallet(deps, segment(context, "id")))),
  });
  resource(app, "/wallets/:id/credit", { POST: (context) => creditWallet(context, deps) });
  resource(app, "/wallets/:id/statement", { GET: (context) => statement(context, deps) });
}

/** The wallet of an id; 404 with the nearest id where there is none. */
export async function findWallet(deps: Pick<AdminDeps, "ledger">, id: string): Promise<Wallet> {
  const wallet = await deps.ledger.wallet(id);
  if (wallet !== undefined) return wallet;
  const ids = (await deps.ledger.wallets()).map((known) => known.id);
  throw new ServiceFault("not_found", {
    message: `There is no wallet "${id}"${suggestion(id, ids)}`,
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
  return context.json(walletJson(wallet), 201);
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
  return context.json(walletJson(accepted(credited, id)));
}

async function statement(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const query = readQuery(context, deps, statementQuery);
  const { id } = await findWallet(deps, segment(context, "id"));
  const page = await deps.ledger.statement(id, {
    limit: query.limit,
    cursor: query.cursor,
    sinceMs: query.since,
    untilMs: query.until,
  });
  return context.json({ entries: page.entries.map(entryJson), cursor: page.cursor ?? null });
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

function walletJson(wallet: Wallet): Answer<typeof walletAnswer> {
  return {
    id: wallet.id,
    tier: wallet.tier,
    credits: formatCredits(wallet.credits),
    available: formatCredits(wallet.available),
    held: formatCredits(wallet.held),
    spent: formatCredits(wallet.spent),
    writtenOff: formatCredits(wallet.writtenOff),
  };
}

/** A journal entry with its effect on what is available. */
export function entryJson(entry: JournalEntry): Record<string, unknown> {
  const { op, at, wallet: _wallet, ...fields } = entry;
  const amounts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "bigint" ? formatCredits(value) : value,
  ]);
  return {
    kind: op,
    at: new Date(at).toISOString(),
    change: formatCredits(changeOf(entry)),
    ...Object.fromEntries(amounts),
  };
}

function changeOf(entry: JournalEntry): Micros {
  switch (entry.op) {
    case "open":
    case "progress":
      return 0n;
    case "credit":
      return entry.amount;
    case "hold":
      return -entry.amount;
    case "settle":
      return entry.held - entry.charged;
    default:
      return entry.held;
  }
}
