/**
 * The answer of one cheap model of a ladder: a complete call with a route, hold and settlement of
 * its own.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { AnswerContent } from "../../domain/learning/answers.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import { answerContent } from "../../wire/chat/answer_content.ts";
import { attempt, type CallDeps, TIME_OVER } from "../call/attempt.ts";
import { finishChat, openWhole } from "../chat/chat_call.ts";
import type { OpenPlan } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { faultOf } from "../request/fault_of.ts";
import type { StreamDeps } from "../stream/streamed_call.ts";

/** Maximum duration of the call of a cheap model, in milliseconds. */
export const CHEAP_MS = 60_000;

/** Codes of failures that end the request: the next model would meet the same. */
const FINAL_CODES: readonly ErrorCode[] = [
  ...["conflict", "internal", "invalid_api_key", "shutting_down", "store_unavailable"] as const,
];

/** The call of a cheap model that has ended and is settled. */
export interface CheapAnswer {
  readonly candidate: Candidate;
  readonly part: ActiveRequest;
  /** The completion; absent after a failure. */
  readonly completion?: { readonly body: JsonBody; readonly usage: Usage } | undefined;
  /** Content for comparison; absent if there is no complete answer. */
  readonly content?: AnswerContent | undefined;
  /** Failure that ends the request. */
  readonly fatal?: unknown;
}

/** A call to make. */
export interface CheapCall {
  readonly part: ActiveRequest;
  readonly candidate: Candidate;
  readonly plan: OpenPlan;
  /** A chat completion request for a complete answer. */
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** Maximum duration, in milliseconds. @default {CHEAP_MS} */
  readonly maxMs?: number | undefined;
}

/** Asks one model. Never throws; in any case its hold has ended. */
export async function cheapAnswer(
  deps: CallDeps & StreamDeps,
  { part, candidate, plan, body, features, maxMs = CHEAP_MS }: CheapCall,
): Promise<CheapAnswer> {
  const limit = new AbortController();
  const callOff = afterMs(maxMs, () => limit.abort(TIME_OVER));
  try {
    part.report.notePlan({ ...plan, candidates: [candidate] });
    const begunCall = await attempt(deps, {
      active: part,
      plan,
      features,
      // Only this model: another one may be the one whose answer it is compared with.
      passable: (candidates) => candidates.filter(({ model }) => model.id === candidate.model.id),
      signal: AbortSignal.any([part.signal, limit.signal]),
      ask: () => ({ endpoint: "chat", body }),
      open: openWhole,
    });
    const { usage } = await finishChat(deps, part, { body, begunCall, endsRequest: false });
    const completion = { body: begunCall.answer.body, usage };
    return { candidate, part, completion, content: answerContent(completion.body.value) };
  } catch (error) {
    const isLate = limit.signal.aborted && !part.signal.aborted;
    const cause = isLate ? new ServiceFault("upstream_timeout") : error;
    const isFatal = cause instanceof CallerDisconnected ||
      FINAL_CODES.includes(faultOf(cause).code);
    return { candidate, part, ...(isFatal ? { fatal: cause } : {}) };
  } finally {
    callOff();
  }
}
