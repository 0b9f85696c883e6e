import type { Context, Handler } from "@hono/hono";
import type { Endpoint } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import {
  ORCHESTRATION_CHOICES,
  type OrchestrationChoice,
} from "../../domain/orchestration/mode.ts";
import type { IncomingCall } from "../../flows/admit/admit_call.ts";
import type { ModelReply } from "../../flows/model_calls.ts";
import type { ModelAnswer } from "../../flows/request/model_answer.ts";
import type { BodyHold } from "../../ports/body_hold.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { type AutoChoice, choiceDenial, parseAutoChoice } from "../../domain/routing/auto.ts";
import { dialectOf } from "../dialect.ts";
import type { PublicEnv } from "../env.ts";
import { requireEndpoint } from "../require_endpoint.ts";

/** A model endpoint: how its body is read and validated, and the call that answers it. */
export interface ModelEndpoint<Checked> {
  readonly endpoint: Endpoint;
  read(request: Request, hold: BodyHold): Promise<JsonBody>;
  /** Throws a {@linkcode ServiceFault} if the body is invalid. `model` has been checked before. */
  check(body: JsonBody): Checked;
  call(incoming: IncomingCall<Checked>): Promise<ModelReply>;
}

/** Returns the handler of a model endpoint. */
export function modelCall<Checked>(endpoint: ModelEndpoint<Checked>): Handler<PublicEnv> {
  return async function modelCallHandler(c) {
    const reply = await endpoint.call(incomingCall(c, endpoint));
    c.set("rateLimits", reply.rateLimits);
    if (!reply.ok) throw reply.error;
    return responseOf(reply.answer, c.get("requestId"));
  };
}

function incomingCall<Checked>(
  c: Context<PublicEnv>,
  { endpoint, read, check }: ModelEndpoint<Checked>,
): IncomingCall<Checked> {
  const key = c.get("key");
  const { headers, signal } = c.req.raw;
  return {
    key,
    requestId: c.get("requestId"),
    traceparent: headers.get("traceparent"),
    signal,
    read: async (hold) => {
      requireEndpoint(key, endpoint);
      const dialect = dialectOf(headers, key.policy);
      c.set("dialect", dialect);
      return { body: await read(c.req.raw, hold), dialect };
    },
    check: (body) => {
      const orchestration = orchestrationChoice(headers);
      const auto = autoChoice(headers, key.policy);
      return { checked: check(body), orchestration, auto };
    },
  };
}

function responseOf(answer: ModelAnswer, requestId: string): Response {
  const headers: Record<string, string> = { "x-request-id": requestId };
  if (answer.kind === "json") {
    headers["content-type"] = "application/json";
    return new Response(answer.text, { headers });
  }
  headers["content-type"] = "text/event-stream; charset=utf-8";
  headers["cache-control"] = "no-cache";
  // Nginx would otherwise buffer the whole stream.
  headers["x-accel-buffering"] = "no";
  return new Response(answer.bytes, { headers });
}

/**
 * Reads the header `X-Auto`. Throws a {@linkcode ServiceFault} if it is malformed, or if the key's
 * policy does not allow the choice.
 */
function autoChoice(headers: Headers, policy: KeyPolicy): AutoChoice | undefined {
  const header = headers.get("x-auto");
  if (header === null) return undefined;
  const param = "X-Auto";
  const parsed = parseAutoChoice(header);
  if (!parsed.ok) throw new ServiceFault("invalid_request", { message: parsed.reason, param });
  const denial = choiceDenial(policy, parsed.choice);
  if (denial !== undefined) throw new ServiceFault("policy_denied", { message: denial, param });
  return parsed.choice;
}

/** Reads the header `X-Orchestration`. Throws a {@linkcode ServiceFault} for an unknown value. */
function orchestrationChoice(headers: Headers): OrchestrationChoice | undefined {
  const header = headers.get("x-orchestration");
  if (header === null) return undefined;
  const name = header.trim().toLowerCase();
  const choice = ORCHESTRATION_CHOICES.find((known) => known === name);
  if (choice !== undefined) return choice;
  const known = ORCHESTRATION_CHOICES.map((name) => `"${name}"`).join(", ");
  throw new ServiceFault("invalid_request", {
    message: `Send X-Orchestration as one of ${known}, or leave it out`,
    param: "X-Orchestration",
  });
}
