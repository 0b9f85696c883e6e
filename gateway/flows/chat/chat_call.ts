/**
 * The call of a model that answers a chat request: begun, then streamed or finished at once.
 *
 * @module
 */

import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import {
  type JsonBody,
  type UpstreamAnswer,
  UpstreamCut,
  type UpstreamFailure,
  type UpstreamJson,
} from "../../ports/upstream.ts";
import type { AnswerEnd, AnswerRelay } from "../../wire/answer_relay.ts";
import { deliveredText, signedToolCalls } from "../../wire/chat/answer.ts";
import { observedCompletion } from "../../wire/chat/observed.ts";
import { requestText } from "../../wire/chat/text.ts";
import { attempt, type AttemptRequest, type BegunCall, type CallDeps } from "../call/attempt.ts";
import { countTokens, settleCall } from "../settle/bill.ts";
import { CallAnswer } from "../stream/call_answer.ts";
import { heldTokens } from "../call/call_hold.ts";
import { conversationOf, type OpenPlan } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type OpenedStream, openStream } from "../stream/opened_stream.ts";
import type { StreamDeps } from "../stream/streamed_call.ts";

/** Parts of the service that a chat call uses. */
export type ChatDeps = CallDeps & StreamDeps & {
  readonly conversations: { set(conversation: string, model: string): void };
};

/** A chat request for one model. */
export interface ChatCall {
  readonly body: JsonBody;
  readonly features: RequestFeatures;
}

/** A chat answer that has begun, in the form that its upstream sends. */
export type ChatBegun =
  | BegunCall<UpstreamJson> & { readonly kind: "json" }
  | BegunCall<OpenedStream> & { readonly kind: "stream" };

/**
 * Begins the answer. `relayOf` returns the relay for a model by its catalog id; `maxTokens` use up
 * the hold. Throws if no model answers.
 */
export async function beginChat(
  deps: ChatDeps,
  active: ActiveRequest,
  call: ChatCall & {
    readonly plan: OpenPlan;
    relayOf(model: string, maxTokens: number): AnswerRelay;
    /** @default {the caller's} */
    readonly signal?: AbortSignal | undefined;
    /** Kind that the upstream must answer with. @default {either} */
    readonly wanted?: ChatBegun["kind"] | undefined;
    /** @default {all of the plan's candidates} */
    passable?(candidates: readonly Candidate[]): readonly Candidate[];
    /** As in {@linkcode AttemptRequest}. */
    readonly callerPath?: AttemptRequest<unknown>["callerPath"];
  },
): Promise<ChatBegun> {
  const { body, features, plan, relayOf, signal, wanted } = call;
  const begunCall = await attempt<UpstreamJson | OpenedStream>(deps, {
    active,
    plan,
    features,
    signal,
    ...(call.passable === undefined ? {} : { passable: call.passable }),
    ...(call.callerPath === undefined ? {} : { callerPath: call.callerPath }),
    ask: () => ({ endpoint: "chat", body }),
    open: (answer, capacity) => {
      if (wanted !== undefined && answer.kind !== wanted) throw unwanted(wanted);
      if (answer.kind !== "stream") return openJson(answer);
      return openStream(answer, relayOf(capacity.candidate.model.id, heldTokens(capacity)));
    },
  });
  const { answer } = begunCall;
  deps.conversations.set(conversationOf(active, features), begunCall.candidate.model.id);
  return "body" in answer
    ? { ...begunCall, answer, kind: "json" }
    : { ...begunCall, answer, kind: "stream" };
}

/** Returns the answer as a stream that is settled at its end. */
export function followChat(
  deps: StreamDeps,
  active: ActiveRequest,
  { begunCall, body }: ChatCall & { readonly begunCall: BegunCall<OpenedStream> },
): CallAnswer {
  return new CallAnswer(deps, { active, begunCall, inputText: () => requestText(body.value) });
}

/** Settles a complete answer; returns its metadata and usage when they are durable. */
export async function finishChat(
  deps: StreamDeps,
  active: ActiveRequest,
  { begunCall, body: request, endsRequest = true }: Pick<ChatCall, "body"> & {
    readonly begunCall: BegunCall<UpstreamJson>;
    /** True when the request ends with this call: its log row is written with it. @default {true} */
    readonly endsRequest?: boolean | undefined;
  },
): Promise<Pick<AnswerEnd, "metadata" | "usage">> {
  begunCall.lease.release();
  const { body, usage } = begunCall.answer;
  const hasLeft = active.signal.aborted;
  deps.signatures.remember(active.key.id, signedToolCalls(body));
  const inputText = () => requestText(request.value);
  const delivered = () => hasLeft ? [] : deliveredText(body);
  const { billing, usage: billed } = await settleCall(deps, active, {
    begunCall,
    end: {
      ending: hasLeft ? "client_left" : "finished",
      usage,
      count: () => countTokens(deps, { candidate: begunCall.candidate, inputText, delivered }),
      content: { inputText, delivered },
      answer: () => observedCompletion(body),
      wasDelivered: false,
      ...(endsRequest ? { request: { status: 200, outcome: hasLeft ? "client_left" : "ok" } } : {}),
    },
  });
  return { metadata: active.report.metadata(billing), usage: billed };
}

/** Returns a complete answer. Throws an {@linkcode UpstreamCut} if it is none, or a stream. */
export function openWhole(answer: Exclude<UpstreamAnswer, UpstreamFailure>): UpstreamJson {
  if (answer.kind !== "json") throw unwanted("json");
  return openJson(answer);
}

function openJson(answer: UpstreamJson): UpstreamJson {
  if (!Array.isArray(answer.body.value.choices)) {
    throw new UpstreamCut("malformed", "The upstream sent an answer without choices");
  }
  return answer;
}

function unwanted(wanted: ChatBegun["kind"]): UpstreamCut {
  const what = wanted === "stream" ? "did not stream" : "streamed, though it was not asked to";
  return new UpstreamCut("malformed", `The upstream ${what}`);
}
