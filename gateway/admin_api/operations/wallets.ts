import { z } from "zod";
import { CORRECTION_KINDS } from "../../domain/ledger/correction_types.ts";
import { parseCredits } from "../../domain/ledger/money.ts";
import * as answers from "../answers/wallets.ts";
import { CREDITS_PATTERN, creditsSchema, creditsText } from "../credits_text.ts";
import { operationId, strict } from "../fields.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";
import { sortFields, WALLET_SORTS } from "../sorts.ts";

/** Kinds of entries that move money, or open a wallet. */
const STATEMENT_KINDS = [
  ...["open", "credit", "hold", "settle", "void", "expire"] as const,
  ...CORRECTION_KINDS,
] as const;

/** The refusal of an amount that did not come with the page before. */
export const AVAILABLE_OF_PAGE = "Give the amount that came with the page before";

const walletId = z.string().regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  "Use 1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first",
);
export const positiveCredits: typeof creditsText = creditsText.refine(
  (text) => parseCredits(text) !== 0n,
  "Credits must be positive",
).meta({ override: creditsSchema({ isPositive: true }) });

/** Wallets. */
export const WALLET_OPERATIONS = {
  "GET /wallets": {
    id: "listWallets",
    right: "read",
    summary: "List the wallets",
    description:
      "By id, or as `sort` says where there are at most 2,000. A search that finds few may stop " +
      "before the page is full, also without a row: then its cursor continues it.",
    query: ({ text, page }: QueryFields) => ({
      q: text.describe("Text in the id, regardless of case"),
      tier: text,
      low: z.literal("true").optional().describe("Only wallets with a low balance"),
      sort: z.enum(sortFields(WALLET_SORTS)).default("id").describe("A minus sign descends"),
      ...page,
    }),
    answer: answers.walletListAnswer,
  },
  "POST /wallets": {
    id: "createWallet",
    right: "wallets",
    trail: "commit",
    summary: "Open a wallet",
    description: "Safe to repeat where it was interrupted: the wallet is opened and paid once.",
    body: strict({
      id: walletId,
      tier: z.string().optional().describe("`standard` where it is left out"),
      credits: creditsText.optional(),
    }),
    example: { id: "team", tier: "standard", credits: "100" },
    status: 201,
    answer: answers.walletAnswer,
    codes: ["conflict"],
  },
  "GET /wallets/{id}": {
    id: "getWallet",
    right: "read",
    summary: "Show a wallet",
    answer: answers.walletAnswer,
  },
  "POST /wallets/{id}/credit": {
    id: "creditWallet",
    right: "wallets",
    trail: "commit",
    summary: "Pay into a wallet",
    description: "With an `opId`, or the header `Idempotency-Key`, it is safe to repeat.",
    headers: z.object({ "Idempotency-Key": operationId.optional() }),
    body: strict({
      credits: positiveCredits,
      note: z.string().max(500).default(""),
      opId: operationId.optional().describe(
        "Pays once, however often it is sent; the header `Idempotency-Key` does as well",
      ),
    }),
    example: { credits: "50", note: "Invoice 17", opId: "invoice-17" },
    answer: answers.walletAnswer,
    codes: ["conflict"],
  },
  "POST /wallets/{id}/low-balance": {
    id: "markLowBalance",
    right: "wallets",
    trail: "commit",
    summary: "Set the low-balance mark of a wallet",
    description: "For display and warnings only: nothing is refused.",
    body: strict({ below: creditsText.nullable().describe("null: a tenth of what was paid in") }),
    example: { below: "20" },
    answer: answers.walletAnswer,
  },
  "GET /wallets/{id}/holds": {
    id: "listHolds",
    right: "read",
    summary: "List the holds of a wallet",
    query: ({ page }: QueryFields) => ({ ...page }),
    answer: answers.holdListAnswer,
  },
  "GET /wallets/{id}/statement": {
    id: "listStatement",
    right: "read",
    summary: "List the entries of a wallet",
    query: ({ time, page }: QueryFields) => ({
      ...page,
      since: time,
      until: time,
      kind: z.enum(STATEMENT_KINDS).optional(),
      available: z.string().regex(new RegExp(CREDITS_PATTERN), AVAILABLE_OF_PAGE).optional().meta({
        description: "As it came with the page before: the next one goes on from it",
        example: "12.500000",
      }),
    }),
    answer: answers.statementAnswer,
  },
} as const satisfies AdminOperations;
