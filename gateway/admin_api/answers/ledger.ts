/**
 * Answers about the books: their verification, and the last line of an export.
 *
 * @module
 */

import { z } from "zod";
import { countAnswer, timeAnswer } from "./parts.ts";

const head = z.string().describe("SHA-256 of the newest segment, hexadecimal");

/** Answer of `GET /ledger/verify`. */
export const verificationAnswer = z.strictObject({
  ok: z.boolean(),
  entries: countAnswer,
  segments: countAnswer,
  head,
  wallets: countAnswer,
  keys: countAnswer.describe("Keys that have spent or held anything"),
  openHolds: countAnswer,
  problems: z.array(z.string()).describe("The first of them, one sentence each"),
  moreProblems: countAnswer,
}).meta({ id: "Verification", description: "The result of recomputing the books" });

/** One line of a verification: its progress or its result. */
export const verificationLineAnswer = z.union([
  z.strictObject({ progress: z.strictObject({ entries: countAnswer, total: countAnswer }) }),
  z.strictObject({ result: verificationAnswer }),
]).meta({ id: "VerificationLine" });

/** The last line of an export: an export without it was cut. */
export const exportEndAnswer = z.strictObject({
  kind: z.literal("end"),
  entries: countAnswer,
  journal: z.strictObject({ entries: countAnswer, segments: countAnswer, head }),
  since: timeAnswer.nullable(),
  until: timeAnswer.nullable(),
  wallet: z.string().nullable(),
  at: timeAnswer,
}).meta({ id: "JournalEnd", description: "The last line: an export without it was cut" });
