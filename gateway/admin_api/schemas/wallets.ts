/**
 * What may be asked of wallets and of the books.
 *
 * @module
 */

import { z } from "zod";
import { parseCredits } from "../../domain/ledger/money.ts";
import { CREDITS_PATTERN, creditsSchema, creditsText } from "../credits_text.ts";
import { operationId, strict } from "../fields.ts";
import type { QueryFields } from "../query_fields.ts";

/** Kinds of entries that move money, or open a wallet. */
export const STATEMENT_KINDS = ["open", "credit", "hold", "settle", "void", "expire"] as const;

const walletId = z.string().regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  "Use 1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first",
);
/** An id that makes a payment safe to repeat. */
export const opId: typeof operationId = operationId;
const positiveCredits = creditsText.refine(
  (text) => parseCredits(text) !== 0n,
  "Credits must be positive",
).meta({ override: creditsSchema({ isPositive: true }) });

/** `POST /wallets`. */
export const newWallet = strict({
  id: walletId,
  tier: z.string().optional().meta({ description: "`standard` where it is left out" }),
  credits: creditsText.optional(),
});

/** `POST /wallets/{id}/credit`. */
export const payment = strict({
  credits: positiveCredits,
  note: z.string().max(500).default(""),
  opId: opId.optional().meta({
    description: "Pays once, however often it is sent; the header `Idempotency-Key` does as well",
  }),
});

/** Refusal of another amount than the page before gave. */
export const AVAILABLE_OF_PAGE = "Give the amount that came with the page before";

/** `GET /wallets/{id}/statement`. */
export const statementQuery = ({ time, limit, cursor }: QueryFields) => ({
  limit,
  cursor,
  since: time,
  until: time,
  kind: z.enum(STATEMENT_KINDS).optional(),
  available: z.string().regex(
    new RegExp(CREDITS_PATTERN),
    AVAILABLE_OF_PAGE,
  ).optional().meta({
    description: "As it came with the page before: the next one goes on from it",
    example: "12.500000",
  }),
});

/** `POST /wallets/{id}/low-balance`. */
export const lowMark = strict({
  below: creditsText.nullable().meta({ description: "null: a tenth of what was paid in" }),
});

/** `GET /ledger/export`. */
export const exportQuery = ({ time, text }: QueryFields) => ({
  since: time,
  until: time,
  wallet: text,
});
