/**
 * Answers about corrections of wallets.
 *
 * @module
 */

import { z } from "zod";
import { CORRECTION_KINDS } from "../../domain/ledger/correction_types.ts";
import { creditsAnswer, timeAnswer } from "./parts.ts";
import { walletAnswer } from "./wallets.ts";

const person = z.strictObject({
  kind: z.enum(["emergency", "operator", "sso"]),
  id: z.string(),
  name: z.string(),
});

/** A correction of a wallet. */
export const correctionAnswer = z.strictObject({
  id: z.string().describe("Id of the operation, also in the journal"),
  kind: z.enum(CORRECTION_KINDS),
  state: z.enum(["applied", "waiting", "approved", "refused", "expired"]).describe(
    "`applied`: at once, below the limit; `approved`: applied after an approval",
  ),
  wallet: z.string(),
  tier: z.string().nullable(),
  key: z.string().nullable(),
  request: z.string().nullable().describe("Id of the request's row in the log"),
  expected: creditsAnswer.nullable().describe("Balance on which it is based"),
  credits: creditsAnswer.nullable().describe("The amount, or the counted balance"),
  stake: creditsAnswer.describe("Credits that it is about, by which it needs an approval"),
  note: z.string(),
  by: person,
  at: timeAnswer,
  expiresAt: timeAnswer.nullable().describe("It can be approved until then"),
  endedBy: person.nullable(),
  endedAt: timeAnswer.nullable(),
  remark: z.string().nullable().describe("Why it was refused"),
}).meta({ id: "Correction", description: "A change of a wallet by an operator" });

/** Answer of a correction: what became of it, and the wallet as it is then. */
export const correctedAnswer = z.strictObject({
  correction: correctionAnswer,
  wallet: walletAnswer,
});

/** Answer of `GET /corrections`. */
export const correctionListAnswer = z.strictObject({
  corrections: z.array(correctionAnswer).describe("Newest first"),
  approvalAbove: creditsAnswer.describe("Credits at stake above which another person approves"),
});
