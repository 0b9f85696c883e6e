/**
 * The call of a model that answers a chat request: begun, followed as a stream, or finished whole.
 *
 * @module
 */

import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { type JsonBody, UpstreamCut, type UpstreamJson } from "../../ports/upstream.ts";
import type { AnswerEnd, AnswerRelay } from "../../wire/answer_relay.ts";
import { deliveredText, signedToolCalls } from "../../wire/chat/answer.ts";
import { requestText } from "../../wire/chat/text.ts";
import { attempt, type Begun } from "./attempt.ts";
import { countTokens, settleCall } from "../settle/bill.ts";
import { CallAnswer } from "./call_answer.ts";
import { heldTokens } from "./call_hold.ts";
import type { GatewayContext } from "../context.ts";
import { conversationOf, type OpenPlan } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";
import { type OpenedStream, openStream } from "../stream/streamed_call.ts";

/** A chat request that one model is to answer. */
export interface ChatCall {
  readonly body: JsonBody;
  readonly features: RequestFeatures;
}

/** A chat answer that has begun, as its upstream sends it. */
export type ChatBegun =
  | Begun<UpstreamJson> & { readonly kind: "json" }
  | Begun<OpenedStream> & { readonly kind: "stream" };

/**
 * Begins the answer; `relayOf` follows that of a model, by its catalog id, of which so many tokens use
 * the hold up. Throws where nobody answers.
 */
export async function beginChat(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: ChatCall & {
    readonly plan: OpenPlan;
    relayOf(model: string, maxTokens: number): AnswerRelay;
    /** @default {the caller's} */
    readonly signal?: AbortSignal | undefined;
    /** Nothing else is an answer. @default {either} */
    readonly wanted?: ChatBegun["kind"] | undefined;
    /** @default {all of the plan's candidates} */
    passable?(candidates: readonly Candidate[]): readonly Candidate[];
  },
): Promise<ChatBegun> {
  const { body, features, plan, relayOf, signal, wanted } = call;
  const begun = await attempt<UpstreamJson | OpenedStream>(gateway, {
    trace,
    plan,
    features,
    signal,
    ...(call.passable === undefined ? {} : { passable: call.passable }),
    ask: () => ({ endpoint: "chat", body }),
    open: (answer, place) => {
      if (wanted !== undefined && answer.kind !== wanted) throw unwanted(wanted);
      if (answer.kind !== "stream") return openJson(answer);
      return openStream(answer, relayOf(place.candidate.model.id, heldTokens(place)));
    },
  });
  const { answer } = begun;
  gateway.conversations.set(conversationOf(trace.caller, features), begun.candidate.model.id);
  return "body" in answer
    ? { ...begun, answer, kind: "json" }
    : { ...begun, answer, kind: "stream" };
}

/** The answer as a stream that is settled at its end. */
export function followChat(
  gateway: GatewayContext,
  trace: RequestTrace,
  { begun, body }: ChatCall & { readonly begun: Begun<OpenedStream> },
): CallAnswer {
  return new CallAnswer(gateway, { trace, begun, inputText: () => requestText(body.value) });
}

/** Settles a whole answer; what is to be said of it when it is durable. */
export async function finishChat(
  gateway: GatewayContext,
  trace: RequestTrace,
  { begun, body: request }: ChatCall & { readonly begun: Begun<UpstreamJson> },
): Promise<Pick<AnswerEnd, "metadata" | "usage">> {
  begun.lease.release();
  const { body, usage } = begun.answer;
  const left = trace.caller.signal.aborted;
  gateway.signatures.remember(trace.caller.key.id, signedToolCalls(body));
  const inputText = () => requestText(request.value);
  const delivered = () => left ? [] : deliveredText(body);
  const { billing, usage: billed } = await settleCall(gateway, trace, {
    begun,
    end: {
      ending: left ? "client_left" : "finished",
      usage,
      count: () => countTokens(gateway, { candidate: begun.candidate, inputText, delivered }),
      said: { inputText, delivered },
      wasDelivered: false,
      request: { status: 200, outcome: left ? "client_left" : "ok" },
    },
  });
  return { metadata: trace.metadata(billing), usage: billed };
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
