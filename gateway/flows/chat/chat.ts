/**
 * One chat completion, from the validated request to the settled bill.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { atOnce } from "../../domain/redaction/steps.ts";
import { chatFeatureSteps, type RequestFeatures } from "../../domain/requests/features.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { LONG_CHARS, runInSteps } from "../../system/yield_to_event_loop.ts";
import { answerText } from "../../wire/chat/answer.ts";
import { type ChatForm, chatFormOf } from "../../wire/chat/form.ts";
import { ChatRelay } from "../../wire/chat/relay.ts";
import type { KeyLimits } from "../admit/admission.ts";
import { reserveTokens } from "../admit/answer_in_flight.ts";
import { hostedChat, type HostedDeps } from "../hosted/hosted_chat.ts";
import { takesChat } from "../hosted/hosted_setup.ts";
import { asksForHosted, type HostedTools } from "../hosted/hosted_tools.ts";
import type { SearchMemory } from "../hosted/search_memory.ts";
import type { Audits } from "../learn/audits.ts";
import { gateOf, orchestrate, type OrchestrateDeps } from "../orchestrate/orchestrate.ts";
import { OrchestratedChat } from "./orchestrated_chat.ts";
import { type OpenPlan, planRoute } from "../plan/route_plan.ts";
import type { SignatureMemory } from "../plan/signature_memory.ts";
import type { Recall } from "../recall/recall.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { AnswerStream } from "../stream/answer_stream.ts";
import { noteUnverified, noteWithoutLadder } from "../verify/open_ladder.ts";
import { verify } from "../verify/verify.ts";
import { beginChat, type ChatCall, type ChatDeps, finishChat, followChat } from "./chat_call.ts";

/** Parts of the service that chat requests use. */
export type ChatFlowDeps = ChatDeps & OrchestrateDeps & HostedDeps & {
  readonly admission: Pick<KeyLimits, "reserve">;
  readonly audits: Pick<Audits, "offer">;
  /** Reads what other instances remember. @default {one instance} */
  readonly recall?: Pick<Recall, "chat"> | undefined;
  readonly signatures: SignatureMemory;
  readonly searchMemory: SearchMemory;
};

/**
 * Answers a validated chat request. Throws a `ServiceFault` if it cannot, and `CallerDisconnected` if
 * the caller disconnects first; nothing is charged then.
 */
export async function chat(
  deps: ChatFlowDeps,
  active: ActiveRequest,
  request: {
    readonly body: JsonBody;
    readonly hosted: HostedTools;
    /** Called when a stream has been settled, or could not be. */
    readonly onEnd: () => void;
  },
): Promise<ModelAnswer> {
  const { body, onEnd } = request;
  const recalling = deps.recall?.chat(active.key.id, body);
  if (recalling !== undefined) await recalling;
  if (asksForHosted(request.hosted)) {
    noteUnverified(active);
    return await hostedChat(deps, active, request);
  }
  const { key, dialect } = active.identity;
  const restored = deps.searchMemory.restore(key.id, deps.signatures.restore(key.id, body));
  const steps = chatFeatureSteps(restored.value as unknown as ChatRequest);
  const isLong = restored.text.length > LONG_CHARS;
  const features = isLong ? await runInSteps(steps) : atOnce(steps);
  const reserving = reserveTokens(deps, active, features);
  if (reserving !== undefined) await reserving;
  const planning = planRoute(deps, active, features);
  const plan = planning instanceof Promise ? await planning : planning;
  const call: ChatCall = { body: restored, features };
  active.noteChatRequest(restored);
  const form = chatFormOf(dialect, body.value);
  const planned = { call, plan, form, onEnd };
  const verified = verifiedChat(deps, active, planned);
  const verifiedAnswer = verified && await verified;
  if (verifiedAnswer !== undefined) return verifiedAnswer;
  const split = splitChat(deps, active, planned);
  const splitAnswer = split && await split;
  if (splitAnswer !== undefined) return splitAnswer;
  const begunCall = await beginChat(deps, active, {
    ...call,
    // A planner that was called has used time and money of the request.
    plan: active.bill.settled === undefined ? plan : await planRoute(deps, active, features),
    relayOf: relayFor(form, features),
  });
  if (begunCall.kind === "json") {
    const end = await finishChat(deps, active, { ...call, begunCall });
    const { answer, candidate } = begunCall;
    const text = answerText(answer.body, { model: candidate.model.id, ...end, form });
    deps.audits.offer(active, { ...call, plan });
    return { kind: "json", text };
  }
  const answer = followChat(deps, active, { ...call, begunCall });
  const onStreamEnd = () => {
    onEnd();
    deps.audits.offer(active, { ...call, plan });
  };
  const stream = new AnswerStream(deps, { answer, active, onEnd: onStreamEnd });
  return { kind: "stream", bytes: new ReadableStream(stream) };
}

/** A planned request. */
interface PlannedChat {
  readonly call: ChatCall;
  readonly plan: OpenPlan;
  readonly form: ChatForm;
  readonly onEnd: () => void;
}

/**
 * Answers by models that verify each other; `undefined` if the request is served as usual, at once
 * where its plan has no such models.
 */
function verifiedChat(
  deps: ChatFlowDeps,
  active: ActiveRequest,
  planned: PlannedChat,
): Promise<ModelAnswer | undefined> | undefined {
  if (planned.plan.ladder !== undefined) return verifyChat(deps, active, planned);
  noteWithoutLadder(active, planned.call.features);
  return undefined;
}

async function verifyChat(
  deps: ChatFlowDeps,
  active: ActiveRequest,
  { call, plan, form, onEnd }: PlannedChat,
): Promise<ModelAnswer | undefined> {
  const audit = () => deps.audits.offer(active, { ...call, plan });
  const answer = await verify(deps, active, {
    ...call,
    plan,
    takesChat,
    surface: (breakdown) =>
      new OrchestratedChat(deps, { active, call, form, breakdown, isSplit: false }),
    onEnd: () => {
      onEnd();
      audit();
    },
  });
  if (answer?.kind === "json") audit();
  return answer;
}

/** Answers by tasks of several models; `undefined` if the request runs as one call. */
function splitChat(
  deps: ChatFlowDeps,
  active: ActiveRequest,
  { call, plan, form, onEnd }: PlannedChat,
): Promise<ModelAnswer | undefined> | undefined {
  const gate = gateOf(active, { ...call, plan });
  if (gate === undefined) return undefined;
  return orchestrate(deps, active, {
    ...call,
    plan,
    gate,
    surface: (known) => new OrchestratedChat(deps, { ...known, active, call, form }),
    onEnd,
  });
}

/** Returns the relay of a model's stream: the text of a JSON answer is checked at its end. */
function relayFor(form: ChatForm, { needs }: RequestFeatures) {
  const keepsText = needs.includes("json");
  return (model: string, maxTokens: number) => new ChatRelay(model, { form, maxTokens, keepsText });
}
