/**
 * The playground of the admin listener: calls as applications make them.
 *
 * @module
 */

import { z } from "zod";
import { playgroundCall, playgroundEndAnswer } from "../admin/schemas/playground.ts";
import { JSON_TYPE, noun, reply, STORE } from "./noun.ts";
import type { Operation } from "./operation.ts";

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
    codes: [STORE],
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
