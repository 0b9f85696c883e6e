/**
 * Answers about wallets and their journal entries.
 *
 * @module
 */

import { z } from "zod";
import { countAnswer, creditsAnswer, cursorAnswer, timeAnswer } from "./parts.ts";

/** A wallet: `credits = available + held + spent`, always. */
export const walletAnswer = z.strictObject({
  id: z.string(),
  tier: z.string(),
  credits: creditsAnswer.describe("Everything ever paid in"),
  available: creditsAnswer,
  held: creditsAnswer.describe("Held by calls in flight"),
  spent: creditsAnswer,
  writtenOff: creditsAnswer.describe("Usage beyond a hold: counted, never charged"),
  lowBelow: creditsAnswer.describe("At or below this it counts as low"),
  lowBelowSet: z.boolean().describe("Set, or a tenth of what was paid in"),
  low: z.boolean(),
  closedAt: timeAnswer.nullable().describe("Set once it is closed for good"),
}).meta({ id: "Wallet", description: "Prepaid credit: credits = available + held + spent" });

/** Answer of `GET /wallets`. */
export const walletListAnswer = z.strictObject({
  wallets: z.array(walletAnswer),
  cursor: cursorAnswer,
  total: countAnswer.describe("All wallets, also those that the query leaves out"),
});

/** Answer of `GET /wallets/{id}/holds`. */
export const holdListAnswer = z.strictObject({
  holds: z.array(z.strictObject({
    id: z.string(),
    at: timeAnswer,
    amount: creditsAnswer,
    key: z.string(),
    model: z.string(),
    log: z.string().describe("Id of the request's row in the log"),
  })).describe("Oldest first"),
  cursor: cursorAnswer,
}).meta({ id: "HoldList" });

const moved = {
  at: timeAnswer,
  change: z.string().regex(/^-?\d+\.\d{6}$/).meta({
    description: "Change of the available credits; may be negative",
    example: "-0.412000",
  }),
};
const call = {
  id: z.string().describe("Id of the hold"),
  key: z.string(),
  log: z.string().describe("Id of the request's row in the log"),
};
const names = {
  user: z.string().optional().describe("The user that the caller named"),
  tags: z.string().optional().describe("Tags of the call, with commas between them"),
};
const tokens = {
  inputTokens: countAnswer,
  cachedInputTokens: countAnswer,
  outputTokens: countAnswer,
};
const priced = { model: z.string(), priceVersion: countAnswer };
const credit = { id: z.string(), amount: creditsAnswer, note: z.string() };
const hold = {
  budget: z.string().optional().describe("Key whose budget it counts against"),
  budgets: z.array(z.string()).optional().describe(
    "Users and tags whose budgets it counts against, each behind `user:` or `tag:`",
  ),
  amount: creditsAnswer,
};
const progress = { cost: creditsAnswer };
const settlement = {
  held: creditsAnswer,
  charged: creditsAnswer,
  writtenOff: creditsAnswer,
  estimated: z.boolean(),
  recovered: z.literal(true).optional().describe("Settled after a crash"),
};
const release = { held: creditsAnswer, reason: z.string() };

/** Returns the schemas of corrections by operators. */
function corrections<More extends z.ZodRawShape>(common: More) {
  const noted = { id: z.string(), note: z.string(), ...common };
  const counted = { expected: creditsAnswer, counted: creditsAnswer };
  const tiers = { tier: z.string(), before: z.string().describe("The tier until then") };
  const keys = { moved: z.string().describe("Id of the key"), from: z.string() };
  const refund = {
    log: z.string().describe("Id of the request's row in the log"),
    charged: creditsAnswer.describe("Charges of the request"),
    amount: creditsAnswer,
  };
  return [
    z.strictObject({ kind: z.enum(["debit", "close"]), amount: creditsAnswer, ...noted }),
    z.strictObject({ kind: z.literal("adjust"), ...counted, ...noted }),
    z.strictObject({ kind: z.literal("tier"), ...tiers, ...noted }),
    z.strictObject({ kind: z.literal("move"), ...keys, ...noted }),
    z.strictObject({ kind: z.literal("refund"), ...refund, ...noted }),
  ] as const;
}

/** Returns the schema of journal entries by kind, each with its own fields and those of `more`. */
function entry<More extends z.ZodRawShape>(more: More) {
  const common = { ...moved, ...more };
  return z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("open"), tier: z.string(), ...common }),
    z.strictObject({ kind: z.literal("credit"), ...credit, ...common }),
    z.strictObject({ kind: z.literal("hold"), ...call, ...names, ...priced, ...hold, ...common }),
    z.strictObject({ kind: z.literal("progress"), ...call, ...tokens, ...progress, ...common }),
    z.strictObject({
      kind: z.literal("settle"),
      ...call,
      ...names,
      ...priced,
      ...tokens,
      ...settlement,
      ...common,
    }),
    z.strictObject({ kind: z.enum(["void", "expire"]), ...call, ...release, ...common }),
    ...corrections(common),
  ]);
}

/** An entry of a statement. */
export const entryAnswer = entry({})
  .meta({ id: "StatementEntry", description: "A change of a wallet, or a hold" });

const balance = creditsAnswer.nullable().describe(
  "Available credits after it; null where the page does not have every entry up to now",
);

/** An entry of a statement, with the amount available after it. */
export const statementEntryAnswer = entry({ available: balance }).meta({ id: "BalancedEntry" });

/** Answer of `GET /wallets/{id}/statement`. */
export const statementAnswer = z.strictObject({
  entries: z.array(statementEntryAnswer).describe("Newest first"),
  cursor: cursorAnswer,
  available: balance.describe("Before the oldest of these: pass it with the cursor"),
});

/** An entry with its place in the journal. */
export const journalLineAnswer = entry({
  place: z.int().min(1).describe("Counted from 1, without gaps"),
  segment: countAnswer.describe("The link of the chain of hashes it is in"),
  wallet: z.string(),
}).meta({ id: "JournalEntry", description: "One line of an export" });
