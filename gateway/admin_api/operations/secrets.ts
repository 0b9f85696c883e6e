import { newTokenAnswer, pepperAnswer, tokenConfirmedAnswer } from "../answers/keys.ts";
import type { AdminOperations } from "../operation.ts";

/** The pepper of key digests, and the admin token. */
export const SECRET_OPERATIONS = {
  "GET /pepper": {
    id: "getPepper",
    right: "secrets",
    summary: "Show the peppers of the digests",
    answer: pepperAnswer,
  },
  "POST /pepper/rotate": {
    id: "rotatePepper",
    right: "secrets",
    trail: "commit",
    summary: "Make a new pepper",
    description: "Keys move to it when they are used.",
    answer: pepperAnswer,
    codes: ["conflict"],
  },
  "POST /pepper/drop": {
    id: "dropPepper",
    right: "secrets",
    trail: "commit",
    summary: "Forget the previous pepper",
    answer: pepperAnswer,
    codes: ["conflict"],
  },
  "POST /admin-token/rotate": {
    id: "rotateAdminToken",
    right: "emergency",
    trail: "commit",
    summary: "Make a new admin token",
    description: "The old one stays valid until the new one is confirmed.",
    status: 201,
    answer: newTokenAnswer,
  },
  "POST /admin-token/confirm": {
    id: "confirmAdminToken",
    right: "emergency",
    trail: "commit",
    summary: "Replace the old admin token by the new one",
    description: "Sent with the new token.",
    answer: tokenConfirmedAnswer,
    codes: ["conflict"],
  },
} as const satisfies AdminOperations;
