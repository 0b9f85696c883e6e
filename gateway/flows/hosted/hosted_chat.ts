import type { Clock } from "../../ports/clock.ts";
import type { VectorStores } from "../../ports/vector_stores.ts";
import type { KeyLimits } from "../admit/admission.ts";
import type { SignatureMemory } from "../plan/signature_memory.ts";
import type { SearchMemory } from "./search_memory.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { chatFeatureSteps } from "../../domain/requests/features.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { chatFormOf } from "../../wire/chat/form.ts";
import { HostedChatRelay } from "../../wire/hosted/chat_relay.ts";
import type { HostedRelay } from "../../wire/hosted/relay.ts";
import { AnswerStream, type AnswerStreamDeps } from "../stream/answer_stream.ts";
import { attempt, type CallDeps } from "../call/attempt.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { conversationOf, planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { OpenedStream } from "../stream/opened_stream.ts";
import { reserveTokens } from "../admit/answer_in_flight.ts";
import { HostedAnswer, type HostedAnswerDeps } from "./hosted_answer.ts";
import { chatBodyOf } from "./hosted_conversation.ts";
import {
  canSearchWeb,
  hostedSetup,
  laterTurns,
  leftOutOf,
  liveOnly,
  needsTools,
  notStreamed,
  noWebSearch,
  openHosted,
  requireStores,
  takesChat,
  type WebSearchDeps,
  webSearchFor,
} from "./hosted_setup.ts";
import type { HostedTools } from "./hosted_tools.ts";

/** Parts of the service that chat requests with hosted tools use. */
export type HostedDeps = CallDeps & HostedAnswerDeps & WebSearchDeps & AnswerStreamDeps & {
  readonly admission: Pick<KeyLimits, "reserve">;
  readonly clock: Clock;
  readonly conversations: { set(conversation: string, model: string): void };
  readonly searchMemory: SearchMemory;
  readonly signatures: SignatureMemory;
  readonly vectorStores: VectorStores;
};

/**
 * Answers a validated chat request that asks for hosted tools. Throws a `ServiceFault` if it cannot,
 * and `CallerDisconnected` if the caller disconnects first.
 */
export async function hostedChat(
  deps: HostedDeps,
  active: ActiveRequest,
  { body, hosted, onEnd }: {
    readonly body: JsonBody;
    readonly hosted: HostedTools;
    /** Called when a stream has been settled, or could not be. */
    readonly onEnd: () => void;
  },
): Promise<ModelAnswer> {
  const { key, stream: isStream, dialect } = active.identity;
  await requireStores(deps, key.walletId, hosted);
  if (hosted.webSearch?.isLive === false) throw liveOnly(hosted.webSearch);
  if (hosted.webSearch !== undefined && !canSearchWeb(deps)) throw noWebSearch();
  const omissions = leftOutOf(deps, hosted);
  active.report.noteOmissions(() => omissions);
  const signed = deps.signatures.restore(key.id, body);
  const restored = deps.searchMemory.restore(key.id, signed);
  const features = needsTools(await runInSteps(chatFeatureSteps(chatBodyOf(restored).value)));
  if (features.choices > 1) throw oneChoice();
  const reserving = reserveTokens(deps, active, features);
  if (reserving !== undefined) await reserving;
  const plan = await planRoute(deps, active, features);
  const setup = hostedSetup(restored, hosted, { allowedPath: "tool_choice.allowed_tools.tools" });
  // The back end stays the same until the answer is complete, even if another catalog is applied.
  const web = webSearchFor(deps, plan);
  const begunCall = await attempt<OpenedStream<HostedRelay>>(deps, {
    active,
    plan,
    features,
    passable: (candidates) => candidates.filter(takesChat),
    ask: () => ({ endpoint: "chat", body: setup.conversation, stream: true }),
    open: async (answer, { candidate: { model } }) => {
      if (answer.kind !== "stream") throw notStreamed();
      const relay = new HostedChatRelay(model.id, {
        hosted: setup.names,
        cite: setup.cite,
        lastTurnOnly: features.needs.includes("json"),
        keepsLogprobs: !isStream,
        form: chatFormOf(dialect, body.value),
        createdSeconds: Math.floor(active.atMs / 1_000),
        newCallId: () => deps.rng.id("call"),
      });
      return await openHosted(answer, relay);
    },
  });
  deps.conversations.set(conversationOf(active, features), begunCall.candidate.model.id);
  const { relay } = begunCall.answer;
  const answer = new HostedAnswer(deps, {
    ...setup,
    active,
    begunCall,
    web,
    begin: laterTurns(deps, active, { relay, features }),
  });
  if (!isStream) return { kind: "json", text: await answer.complete() };
  const stream = new AnswerStream(deps, { answer, active, onEnd });
  return { kind: "stream", bytes: new ReadableStream(stream) };
}

function oneChoice(): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: "Send n as 1 or leave it out: hosted tools work for one choice",
    param: "n",
  });
}
