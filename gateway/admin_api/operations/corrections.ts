import { z } from "zod";
import * as answers from "../answers/corrections.ts";
import { creditsText } from "../credits_text.ts";
import { operationId, strict } from "../fields.ts";
import type { AdminOperations } from "../operation.ts";
import { positiveCredits } from "./wallets.ts";

const note = z.string().trim().min(1, "Give the reason").max(500)
  .describe("The reason, for the journal");
const opId = operationId.optional().describe("Corrects once, however often it is sent");
const common = {
  right: "wallets",
  trail: "own",
  answer: answers.correctedAnswer,
  codes: ["conflict"],
} as const;
const WAITS = "Above the limit of the service it waits for the approval of another operator.";

/** Corrections of wallets. */
export const CORRECTION_OPERATIONS = {
  "POST /wallets/{id}/debit": {
    ...common,
    id: "debitWallet",
    summary: "Take credits out of a wallet",
    description: `At most what is available: holds of calls in flight stay. ${WAITS}`,
    body: strict({ credits: positiveCredits, note, opId }),
    example: { credits: "5", note: "Invoice 17 was paid in twice" },
  },
  "POST /wallets/{id}/adjust": {
    ...common,
    id: "adjustWallet",
    summary: "Bring the balance of a wallet to a counted value",
    description: "The balance is what is available and held. It is refused unless the balance is " +
      `still the expected one, so that nobody corrects twice. ${WAITS}`,
    body: strict({
      balance: creditsText.describe("The counted balance"),
      expected: creditsText.describe("The balance at the time of the count"),
      note,
      opId,
    }),
    example: { balance: "95", expected: "100", note: "Count of 30 November" },
  },
  "POST /wallets/{id}/tier": {
    ...common,
    id: "setWalletTier",
    summary: "Give a wallet another tier",
    description: `Calls that have begun keep theirs. ${WAITS} At stake is the balance.`,
    body: strict({ tier: z.string().min(1), note, opId }),
    example: { tier: "premium", note: "New contract" },
  },
  "POST /wallets/{id}/close": {
    ...common,
    id: "closeWallet",
    summary: "Close a wallet for good",
    description:
      "Only while nothing is held. The rest, which `expected` names, is taken out; calls " +
      `with its keys are refused with \`wallet_closed\`. ${WAITS}`,
    body: strict({ expected: creditsText.describe("The rest that is given up"), note, opId }),
    example: { expected: "0", note: "The team was dissolved" },
  },
  "POST /keys/{id}/move": {
    ...common,
    id: "moveKey",
    summary: "Move a key to another wallet",
    description:
      "Calls in flight are charged to the wallet that holds for them; the key's budget " +
      `and what it has spent go along. ${WAITS} At stake is the balance of the wallet it moves to.`,
    body: strict({ wallet: z.string().min(1), note, opId }),
    example: { wallet: "research", note: "The application changed teams" },
  },
  "POST /requests/{id}/refund": {
    ...common,
    id: "refundRequest",
    summary: "Refund a request",
    description: "Once, by the `log_…` id of its row: all that it was charged, or a part. The " +
      `budget of its key stays as it is. ${WAITS}`,
    body: strict({ credits: positiveCredits.optional().describe("All of it by default"), note }),
    example: { note: "The answer was empty" },
  },
  "GET /corrections": {
    id: "listCorrections",
    right: "read",
    summary: "List the corrections that wait for an approval, and the last ones that did",
    answer: answers.correctionListAnswer,
  },
  "GET /corrections/{id}": {
    id: "getCorrection",
    right: "read",
    summary: "Show a correction that waits for an approval, or did",
    answer: answers.correctionAnswer,
  },
  "POST /corrections/{id}/approve": {
    ...common,
    id: "approveCorrection",
    summary: "Approve a correction: it is applied",
    description: "By another person than the one who asked for it, within 7 days. It is refused, " +
      "and goes on waiting, if the wallet no longer allows it.",
  },
  "POST /corrections/{id}/refuse": {
    ...common,
    id: "refuseCorrection",
    summary: "Refuse a correction, or withdraw one's own",
    body: strict({ note }),
    example: { note: "The invoice is right" },
  },
} as const satisfies AdminOperations;
