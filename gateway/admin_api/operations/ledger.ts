import { z } from "zod";
import { errorEnvelopeSchema } from "../../http/schemas/error.ts";
import { exportEndAnswer, verificationAnswer, verificationLineAnswer } from "../answers/ledger.ts";
import { journalLineAnswer } from "../answers/wallets.ts";
import { type AdminOperations, LINES_TYPE } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";

/** The books. */
export const LEDGER_OPERATIONS = {
  "GET /ledger/verify": {
    id: "verifyLedger",
    right: "books",
    summary: "Recompute the books from the journal and compare",
    description: `Where \`Accept\` names ${LINES_TYPE}: progress, one JSON value a line, and the ` +
      "result as the last. A failure on the way is a last line with `error`.",
    query: () => ({}),
    headers: z.object({ Accept: z.string().optional() }),
    answer: verificationAnswer,
    lines: z.union([verificationLineAnswer, errorEnvelopeSchema]),
  },
  "GET /ledger/export": {
    id: "exportLedger",
    right: "books",
    trail: "export",
    summary: "Send the journal, oldest entry first, one a line",
    description: "The last line is of the kind `end`: an export without it was cut. A failure on " +
      "the way is a last line with `error`.",
    query: ({ time, text }: QueryFields) => ({ since: time, until: time, wallet: text }),
    lines: z.union([journalLineAnswer, exportEndAnswer, errorEnvelopeSchema]),
    answerDescription: "The journal",
    answerHeader: "X-Ledger-Entries",
    codes: ["not_found"],
  },
} as const satisfies AdminOperations;
