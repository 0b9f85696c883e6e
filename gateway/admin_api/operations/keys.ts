import { z } from "zod";
import * as answers from "../answers/keys.ts";
import { KEY_STATES } from "../../domain/policy/key.ts";
import { operationId, strict } from "../fields.ts";
import { label } from "../label.ts";
import type { AdminOperations } from "../operation.ts";
import { embeddingChoice, policySchema } from "../policy.ts";
import type { QueryFields } from "../query_fields.ts";
import { KEY_SORTS, sortFields } from "../sorts.ts";

const keyName = label(100);

/** Keys. */
export const KEY_OPERATIONS = {
  "GET /keys": {
    id: "listKeys",
    right: "read",
    summary: "List the keys",
    description:
      "Newest first, or as `sort` says where there are at most 2,000. A search that finds few may " +
      "stop before the page is full, also without a row: then its cursor continues it.",
    query: ({ text, page }: QueryFields) => ({
      q: text.describe("Text in the name, the hint or the id, regardless of case"),
      wallet: text,
      state: z.enum(KEY_STATES).optional(),
      rotatedFrom: text.describe("Id of the key that they replace"),
      ids: z.string().regex(/^[^,]{1,256}(?:,[^,]{1,256}){0,499}$/, "Give 1 to 500 ids").optional()
        .describe("Ids, with commas in between: these keys alone, on one page"),
      sort: z.enum(sortFields(KEY_SORTS)).default("-created").describe("A minus sign descends"),
      ...page,
    }),
    answer: answers.keyListAnswer,
  },
  "POST /keys": {
    id: "createKey",
    right: "keys",
    trail: "commit",
    summary: "Create a key",
    description: "The key itself is in this answer and nowhere else.",
    body: strict({
      name: keyName,
      wallet: z.string(),
      policy: policySchema.default({}),
      opId: operationId.optional().describe("Makes one key, however often it is sent"),
    }),
    example: { name: "Shop", wallet: "team", policy: { requestsPerMinute: 600 } },
    status: 201,
    answer: answers.newKeyAnswer,
    codes: ["conflict"],
  },
  "POST /keys/preview": {
    id: "previewPolicy",
    right: "read",
    trail: "none",
    summary: "Show what a policy would leave",
    description: "Models and endpoints, by routing itself. Changes nothing.",
    body: strict({
      policy: policySchema.default({}),
      wallet: z.string().default("").describe("Wallet whose tier applies"),
      narrows: z.string().optional().describe(
        "Id of the key that the policy is to narrow; its wallet is taken",
      ),
    }),
    example: { policy: { endpoints: ["chat"] }, wallet: "team" },
    answer: answers.previewAnswer,
  },
  "GET /keys/{id}": {
    id: "getKey",
    right: "read",
    summary: "Show a key and what it has spent",
    answer: answers.shownKeyAnswer,
  },
  "POST /keys/{id}/narrow": {
    id: "narrowKey",
    right: "keys",
    trail: "commit",
    summary: "Give a key a stricter policy",
    body: strict({ policy: policySchema }),
    example: { policy: { models: ["fast-mini"] } },
    answer: answers.keyAnswer,
  },
  "POST /keys/{id}/content-log": {
    id: "setKeyContentLog",
    right: "content",
    trail: "commit",
    summary: "Start or stop logging content with a key's requests, with secrets removed",
    body: strict({ on: z.boolean().describe("True: log content with the key's requests") }),
    example: { on: true },
    answer: answers.keyAnswer,
  },
  "POST /keys/{id}/embedding-model": {
    id: "setKeyEmbeddingModel",
    right: "keys",
    trail: "commit",
    summary: "Pin another embedding model for a key",
    description:
      "Vectors that the key's callers have stored do not compare with those of another " +
      "model, or of another length. Holds for all keys of the rotation line.",
    body: embeddingChoice,
    example: { model: "vectors-small", dimensions: 512 },
    answer: answers.embeddingModelAnswer,
    codes: ["conflict"],
  },
  "DELETE /keys/{id}/embedding-model": {
    id: "resetKeyEmbeddingModel",
    right: "keys",
    trail: "commit",
    summary: "Forget the embedding model of a key",
    description:
      "Its next call pins one as a first call does. Holds for all keys of the rotation " +
      "line.",
    answer: answers.embeddingModelAnswer,
    codes: ["conflict"],
  },
  "POST /keys/{id}/rotate": {
    id: "rotateKey",
    right: "keys",
    trail: "commit",
    summary: "Make a copy that replaces a key",
    description: "Both serve until the old one is disabled or revoked. They share one budget.",
    body: strict({
      name: keyName.optional(),
      policy: policySchema.optional().describe("The same or a stricter one"),
      opId: operationId.optional().describe("Makes one copy, however often it is sent"),
    }),
    example: { name: "Shop, December" },
    status: 201,
    answer: answers.rotatedKeyAnswer,
    codes: ["conflict"],
  },
  "GET /keys/{id}/rotation": {
    id: "getRotation",
    right: "read",
    summary: "Show the progress of a key's rotation",
    description: "From the keys and the request log alone.",
    query: ({ text }: QueryFields) => ({ copy: text, request_id: text }),
    answer: answers.rotationAnswer,
  },
  "POST /keys/{id}/verify": {
    id: "verifyKey",
    right: "keys",
    summary: "Make one small call with a key",
    description: "At the public address, as an application would. The key is not kept.",
    body: strict({
      key: z.string().trim().regex(/^[\x21-\x7e]{1,256}$/, "Give the key itself, as it was shown"),
      requestId: operationId.optional(),
    }),
    example: { key: "the-key-itself" },
    answer: answers.verificationAnswer,
    codes: ["conflict", "upstream_error"],
  },
  "POST /keys/{id}/sign-in-link": {
    id: "createSignInLink",
    right: "keys",
    trail: "commit",
    summary: "Make a link that signs the holder of a key in",
    description:
      "To the key's own pages at `/me` of the public address, which only read. It works " +
      "once, for ten minutes. The audit log does not have it.",
    status: 201,
    answer: answers.signInLinkAnswer,
    codes: ["conflict"],
  },
  "POST /keys/{id}/disable": {
    id: "disableKey",
    right: "keys",
    trail: "commit",
    summary: "Disable a key",
    answer: answers.keyAnswer,
    codes: ["conflict"],
  },
  "POST /keys/{id}/enable": {
    id: "enableKey",
    right: "keys",
    trail: "commit",
    summary: "Enable a disabled key",
    answer: answers.keyAnswer,
    codes: ["conflict"],
  },
  "POST /keys/{id}/revoke": {
    id: "revokeKey",
    right: "keys",
    trail: "commit",
    summary: "Revoke a key",
    answer: answers.keyAnswer,
  },
} as const satisfies AdminOperations;
