import { z } from "zod";
import { ORCHESTRATION_CHOICES } from "../../domain/orchestration/mode.ts";
import { strict } from "../fields.ts";
import type { AdminOperations } from "../operation.ts";

/** Endpoints that the playground calls. */
export const PLAYGROUND_ENDPOINTS = ["chat", "responses", "images.generations"] as const;

const answer = z.looseObject({}).meta({
  id: "PlaygroundAnswer",
  description: "The public listener's answer at the endpoint; of a stream, one event",
});

/** Returns a call for the audit log, without the texts of people. */
function loggedCall(sent: unknown): unknown {
  const call = z.object({ wallet: z.string(), endpoint: z.string() }).safeParse(sent);
  return call.data;
}

/** The playground: calls as applications make them. */
export const PLAYGROUND_OPERATIONS = {
  "POST /playground": {
    id: "callPlayground",
    right: "playground",
    summary: "Make a call as an application would",
    description:
      "With a key on the wallet that is made for the operator who calls, lives for ten minutes and " +
      "is named `playground` and the operator: the call is authenticated, routed, billed and " +
      "logged as any other, with the tag `operator` and the operator's id. Refusals of the " +
      "endpoint are passed on. An operator has at most five such keys, of which the oldest gives " +
      "way.",
    body: strict({
      wallet: z.string().describe("Id of the wallet that pays"),
      endpoint: z.enum(PLAYGROUND_ENDPOINTS),
      body: z.record(z.string(), z.unknown()).describe(
        "The request as an application would send it",
      ),
      orchestration: z.enum(ORCHESTRATION_CHOICES).optional(),
    }),
    example: {
      wallet: "default",
      endpoint: "chat",
      body: { model: "auto", messages: [{ role: "user", content: "Say hello" }] },
    },
    logged: loggedCall,
    answer,
    events: answer,
    passesOn: PLAYGROUND_ENDPOINTS,
  },
  "DELETE /playground": {
    id: "endPlayground",
    right: "playground",
    // One entry for each key.
    trail: "own",
    summary: "Revoke the keys that the playground has made for the operator who asks",
    description: "One that cannot be revoked now is over within minutes all the same.",
    answer: z.strictObject({
      revoked: z.int().min(0).describe("Keys that were revoked"),
    }).meta({ id: "PlaygroundEnd" }),
  },
} as const satisfies AdminOperations;
