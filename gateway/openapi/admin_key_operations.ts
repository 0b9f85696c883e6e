/**
 * What the admin listener offers for keys and for what protects them.
 *
 * @module
 */

import * as keyAnswers from "../admin_api/answers/keys.ts";
import * as keySchemas from "../admin_api/schemas/keys.ts";
import { CHANGED, FOUND, noun, STORE } from "./noun.ts";
import type { Operation } from "./operation.ts";

/** Keys. */
export const KEY_OPERATIONS: readonly Operation[] = noun("Keys", {
  "GET /keys": { id: "listKeys", summary: "List the keys", answer: keyAnswers.keyListAnswer },
  "POST /keys": {
    id: "createKey",
    summary: "Create a key",
    description: "The key itself is in this answer and nowhere else.",
    body: keySchemas.newKey,
    example: { name: "Shop", wallet: "team", policy: { requestsPerMinute: 600 } },
    status: 201,
    answer: keyAnswers.newKeyAnswer,
    codes: [STORE, "conflict"],
  },
  "POST /keys/preview": {
    id: "previewPolicy",
    summary: "Show what a policy would leave",
    description: "Models and endpoints, by routing itself. Changes nothing.",
    body: keySchemas.preview,
    example: { policy: { endpoints: ["chat"] }, wallet: "team" },
    answer: keyAnswers.previewAnswer,
  },
  "GET /keys/{id}": {
    id: "getKey",
    summary: "Show a key and what it has spent",
    answer: keyAnswers.shownKeyAnswer,
    codes: FOUND,
  },
  "POST /keys/{id}/narrow": {
    id: "narrowKey",
    summary: "Give a key a stricter policy",
    body: keySchemas.narrowing,
    example: { policy: { models: ["fast-mini"] } },
    answer: keyAnswers.keyAnswer,
    codes: FOUND,
  },
  "POST /keys/{id}/content-log": {
    id: "setKeyContentLog",
    summary: "Keep what is said with a key's requests, secrets taken out, or keep it no more",
    body: keySchemas.contentLog,
    example: { on: true },
    answer: keyAnswers.keyAnswer,
    codes: FOUND,
  },
  "POST /keys/{id}/rotate": {
    id: "rotateKey",
    summary: "Make a copy that replaces a key",
    description: "Both serve until the old one is disabled or revoked. They share one budget.",
    body: keySchemas.rotation,
    example: { name: "Shop, December" },
    status: 201,
    answer: keyAnswers.rotatedKeyAnswer,
    codes: CHANGED,
  },
  "GET /keys/{id}/rotation": {
    id: "getRotation",
    summary: "Tell how far replacing a key has come",
    description: "By the keys and the request log alone.",
    query: keySchemas.rotationQuery,
    answer: keyAnswers.rotationAnswer,
    codes: FOUND,
  },
  "POST /keys/{id}/verify": {
    id: "verifyKey",
    summary: "Make one small call with a key",
    description: "At the public address, as an application would. The key is not kept.",
    body: keySchemas.verification,
    example: { key: "the-key-itself" },
    answer: keyAnswers.verificationAnswer,
    codes: [...CHANGED, "upstream_error"],
  },
  "POST /keys/{id}/disable": {
    id: "disableKey",
    summary: "Let a key serve no more for now",
    answer: keyAnswers.keyAnswer,
    codes: CHANGED,
  },
  "POST /keys/{id}/enable": {
    id: "enableKey",
    summary: "Let a disabled key serve again",
    answer: keyAnswers.keyAnswer,
    codes: CHANGED,
  },
  "POST /keys/{id}/revoke": {
    id: "revokeKey",
    summary: "End a key for good",
    answer: keyAnswers.keyAnswer,
    codes: FOUND,
  },
});

/** What digests stand under, and the admin token. */
export const SECRET_OPERATIONS: readonly Operation[] = noun("Secrets", {
  "GET /pepper": {
    id: "getPepper",
    summary: "Show what digests stand under",
    answer: keyAnswers.pepperAnswer,
  },
  "POST /pepper/rotate": {
    id: "rotatePepper",
    summary: "Make a new pepper",
    description: "Keys move to it when they are used.",
    answer: keyAnswers.pepperAnswer,
    codes: [STORE, "conflict"],
  },
  "POST /pepper/drop": {
    id: "dropPepper",
    summary: "Forget the previous pepper",
    answer: keyAnswers.pepperAnswer,
    codes: [STORE, "conflict"],
  },
  "POST /admin-token/rotate": {
    id: "rotateAdminToken",
    summary: "Make a new admin token",
    description: "The old one is let in until the new one is confirmed.",
    status: 201,
    answer: keyAnswers.newTokenAnswer,
  },
  "POST /admin-token/confirm": {
    id: "confirmAdminToken",
    summary: "Put the new admin token in the old one's place",
    description: "Sent with the new token.",
    answer: keyAnswers.tokenConfirmedAnswer,
    codes: [STORE, "conflict"],
  },
});
