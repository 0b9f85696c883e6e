/**
 * The playground of the admin listener: calls as applications make them.
 *
 * @module
 */

import { z } from "zod";
import { playgroundCall, playgroundEndAnswer } from "../admin_api/schemas/playground.ts";
import { JSON_TYPE, noun, reply, STORE } from "./noun.ts";
import { codesOf, type Operation } from "./operation.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";

/** Refusals of the endpoints that it calls are passed on. */
const CALLED = [
  "/openai/v1/chat/completions",
  "/openai/v1/responses",
  "/openai/v1/images/generations",
];
const codes = new Set(
  PUBLIC_OPERATIONS.filter(({ path }) => CALLED.includes(path)).flatMap(codesOf),
);

const answer = z.looseObject({}).meta({
  id: "PlaygroundAnswer",
  description: "What the public listener answers at the endpoint; where it streams, one event",
});

const [call, end] = noun("Playground", {
  "POST /playground": {
    id: "callPlayground",
    summary: "Make a call as an application would",
    description:
      "With a key on the wallet that is made for it, lives for ten minutes and is named " +
      "`playground`: the call is authenticated, routed, billed and logged as any other. Refusals " +
      "of the endpoint are passed on.",
    body: playgroundCall,
    example: {
      wallet: "default",
      endpoint: "chat",
      body: { model: "auto", messages: [{ role: "user", content: "Say hello" }] },
    },
    answer,
    codes: [...codes.add(STORE)],
  },
  "DELETE /playground": {
    id: "endPlayground",
    summary: "Revoke the keys that the playground has made",
    description: "One that cannot be revoked now is over within minutes all the same.",
    answer: playgroundEndAnswer,
    codes: [],
  },
});

/** Its operations. */
export const PLAYGROUND_OPERATIONS: readonly Operation[] = [call, end].flatMap((operation) => {
  if (operation === undefined) return [];
  if (operation !== call) return [operation];
  const content = { [JSON_TYPE]: { schema: answer }, "text/event-stream": { schema: answer } };
  return [{ ...operation, replies: { 200: reply(content) } }];
});
