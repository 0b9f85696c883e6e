import type { AnswerOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { refundId } from "../../domain/ledger/correction.ts";
import type { CorrectionCommand } from "../../domain/ledger/correction_types.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { parseCredits } from "../../domain/ledger/money.ts";
import type { CorrectionOutcome } from "../../flows/operators/corrections.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { authorOf } from "../operators/author.ts";
import { booksOf } from "../requests/request_json.ts";
import type { Handlers } from "../routes.ts";
import { findWallet, requireWallet } from "../wallets/find_wallet.ts";
import { requireTier } from "../wallets/require_tier.ts";
import { walletJson } from "../wallets/wallet_json.ts";
import { appliedJson, correctionJson } from "./correction_json.ts";
import { refusalFault } from "./refusals.ts";

type Corrected = AnswerOf<"POST /wallets/{id}/debit">;

/** A command without the fields that all have. */
type Asked = CorrectionCommand extends infer One
  ? One extends CorrectionCommand ? Omit<One, "atMs"> : never
  : never;

/** Handlers of corrections of wallets. */
export function correctionHandlers(deps: AdminDeps) {
  const { clock, rng } = deps;
  const ask = (context: AdminContext, action: string, request: Asked) =>
    asking(deps, { context, action, command: { ...request, atMs: clock.nowMs() } });
  const opIdOf = (opId: string | undefined) => opId ?? rng.id("cor");
  return {
    "POST /wallets/{id}/debit": async ({ context, path, body }) => {
      const { credits, note, opId } = await body();
      const { id: walletId } = await findWallet(deps, path.id);
      const amount = micros(credits);
      const request = { kind: "debit", opId: opIdOf(opId), walletId, amount, note } as const;
      return await ask(context, "debitWallet", request);
    },
    "POST /wallets/{id}/adjust": async ({ context, path, body }) => {
      const { balance, expected, note, opId } = await body();
      const { id: walletId } = await findWallet(deps, path.id);
      const amounts = { expected: micros(expected), counted: micros(balance) };
      const request = { kind: "adjust", opId: opIdOf(opId), walletId, ...amounts, note } as const;
      return await ask(context, "adjustWallet", request);
    },
    "POST /wallets/{id}/tier": async ({ context, path, body }) => {
      const { tier, note, opId } = await body();
      const { id: walletId } = await findWallet(deps, path.id);
      requireTier(deps, tier);
      const request = { kind: "tier", opId: opIdOf(opId), walletId, tier, note } as const;
      return await ask(context, "setWalletTier", request);
    },
    "POST /wallets/{id}/close": async ({ context, path, body }) => {
      const { expected: rest, note, opId } = await body();
      const { id: walletId } = await findWallet(deps, path.id);
      const expected = micros(rest);
      const request = { kind: "close", opId: opIdOf(opId), walletId, expected, note } as const;
      return await ask(context, "closeWallet", request);
    },
    "POST /keys/{id}/move": async ({ context, path: { id: keyId }, body }) => {
      const { wallet: walletId, note, opId } = await body();
      const key = await deps.keys.get(keyId);
      if (key === undefined) {
        throw new ServiceFault("not_found", { message: `There is no key "${keyId}"` });
      }
      await requireWallet(deps, walletId);
      const from = key.walletId;
      const request = { kind: "move", opId: opIdOf(opId), walletId, keyId, from, note } as const;
      return await ask(context, "moveKey", request);
    },
    "POST /requests/{id}/refund": async ({ context, path: { id }, body }) => {
      const { credits, note } = await body();
      const request = await refundOf(deps, id, { credits, note });
      return await ask(context, "refundRequest", request);
    },
  } satisfies Partial<Handlers>;
}

/** Handlers of corrections that wait for an approval. */
export function approvalHandlers(deps: AdminDeps) {
  const { corrections, clock } = deps;
  return {
    "GET /corrections": async () => ({
      corrections: (await corrections.all()).map((one) => correctionJson(one, clock.nowMs())),
      approvalAbove: corrections.approvalAbove,
    }),
    "GET /corrections/{id}": async ({ path: { id } }) => {
      const correction = await corrections.get(id);
      if (correction === undefined) throw refusalFault("missing", id);
      return correctionJson(correction, clock.nowMs());
    },
    "POST /corrections/{id}/approve": async ({ context, path: { id } }) => {
      const who = correctorOf(context, "approveCorrection", `/corrections/${id}`);
      return await ended(deps, await corrections.approve(who, id), id);
    },
    "POST /corrections/{id}/refuse": async ({ context, path: { id }, body }) => {
      const { note } = await body();
      const who = correctorOf(context, "refuseCorrection", `/corrections/${id}`);
      return await ended(deps, await corrections.refuse(who, id, note), id);
    },
  } satisfies Partial<Handlers>;
}

async function asking(
  deps: AdminDeps,
  { context, action, command }: {
    readonly context: AdminContext;
    readonly action: string;
    readonly command: CorrectionCommand;
  },
): Promise<Corrected> {
  const { corrections } = deps;
  const who = correctorOf(context, action, subjectOf(command));
  const outcome = await corrections.ask(who, command);
  if (!outcome.ok) throw refusalFault(outcome.refusal, command.walletId, command.kind);
  const { correction, wallet } = outcome;
  return {
    correction: correction === undefined
      ? appliedJson(command, { by: context.get("actor"), wallet })
      : correctionJson(correction, deps.clock.nowMs()),
    wallet: await walletJson(wallet, deps),
  };
}

async function ended(
  deps: AdminDeps,
  outcome: CorrectionOutcome,
  id: string,
): Promise<Corrected> {
  if (!outcome.ok) throw refusalFault(outcome.refusal, id);
  const { correction, wallet } = outcome;
  if (correction === undefined) throw refusalFault("missing", id);
  return {
    correction: correctionJson(correction, deps.clock.nowMs()),
    wallet: await walletJson(wallet, deps),
  };
}

/** Returns the refund of a request that has ended, from its charges in the journal. */
async function refundOf(
  deps: AdminDeps,
  id: string,
  { credits, note }: { readonly credits: string | undefined; readonly note: string },
): Promise<Asked> {
  const record = await deps.log.get(id);
  if (record === undefined) {
    throw new ServiceFault("not_found", {
      message: `There is no request with the log id "${id}"; give the id of its row, as log_…`,
    });
  }
  const books = await booksOf(record, deps.ledger);
  if (!books.isComplete) {
    throw new ServiceFault("conflict", {
      message:
        `Request "${id}" has not ended, or not all of its entries were found: try again later`,
    });
  }
  const charges = books.entries.flatMap((entry) => entry.op === "settle" ? [entry] : []);
  const charged = charges.reduce((sum, entry) => sum + entry.charged, 0n);
  const amount = credits === undefined ? charged : micros(credits);
  if (charged === 0n) {
    throw new ServiceFault("conflict", { message: `Request "${id}" was charged nothing` });
  }
  if (amount > charged) {
    throw new ServiceFault("invalid_request", {
      message: `Request "${id}" was charged less than that: refund at most its charge`,
      param: "credits",
    });
  }
  const walletId = charges[0]?.wallet ?? record.walletId;
  const opId = refundId(id);
  return { kind: "refund", opId, walletId, logId: id, charged, amount, note };
}

function subjectOf(command: CorrectionCommand): string {
  if (command.kind === "move") return `/keys/${command.keyId}/move`;
  if (command.kind === "refund") return `/requests/${command.logId}/refund`;
  return `/wallets/${command.walletId}/${command.kind}`;
}

function correctorOf(context: AdminContext, action: string, subject: string) {
  return { actor: context.get("actor"), author: authorOf(context), action, subject };
}

function micros(credits: string): Wallet["credits"] {
  return parseCredits(credits) ?? 0n;
}
