/**
 * What the operator's API says of wallets, as far as these pages show it.
 *
 * @module
 */

import { z } from "zod";

/** A wallet. */
export const walletShape = z.object({
  id: z.string(),
  tier: z.string(),
  credits: z.string(),
  available: z.string(),
  held: z.string(),
  spent: z.string(),
  writtenOff: z.string(),
  lowBelow: z.string(),
  lowBelowSet: z.boolean(),
  low: z.boolean(),
});

/** A wallet. */
export type Wallet = z.output<typeof walletShape>;

/** Every wallet. */
export const walletsShape = z.object({ wallets: z.array(walletShape) });

/** Open holds, oldest first. */
export const holdsShape = z.object({
  holds: z.array(z.object({
    id: z.string(),
    at: z.string(),
    amount: z.string(),
    key: z.string(),
    model: z.string(),
    log: z.string(),
  })),
  more: z.number(),
});

/** An open hold. */
export type Hold = z.output<typeof holdsShape>["holds"][number];

/** Kinds of entries of a statement. */
export const ENTRY_KINDS = ["credit", "hold", "settle", "void", "expire", "open"] as const;

/** A page of a statement, newest first. */
export const statementShape = z.object({
  entries: z.array(z.object({
    kind: z.enum(ENTRY_KINDS),
    at: z.string(),
    /** Of its hold, where it has one. */
    id: z.string().optional(),
    held: z.string().optional(),
    change: z.string(),
    available: z.string().nullable(),
    charged: z.string().optional(),
    model: z.string().optional(),
    key: z.string().optional(),
    log: z.string().optional(),
    note: z.string().optional(),
    reason: z.string().optional(),
    recovered: z.boolean().optional(),
  })),
  cursor: z.string().nullable(),
  available: z.string().nullable(),
});

/** An entry of a statement. */
export type Entry = z.output<typeof statementShape>["entries"][number];

/** The tiers that a wallet can have. */
export const tiersShape = z.object({
  content: z.object({ tiers: z.array(z.object({ id: z.string() })) }),
});
