import { ServiceFault } from "../../domain/fault.ts";
import { chatFeatureSteps } from "../../domain/requests/features.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { chatFormOf } from "../../wire/chat/form.ts";
import { HostedChatRelay } from "../../wire/hosted/chat_relay.ts";
import type { HostedRelay } from "../../wire/hosted/relay.ts";
import { AnswerStream } from "../stream/answer_stream.ts";
import { attempt } from "../call/attempt.ts";
import type { GatewayContext } from "../context.ts";
import type { ModelAnswer } from "../model_answer.ts";
import { conversationOf, planRoute } from "../plan/route_plan.ts";
import type { Caller } from "../request_trace.ts";
import type { OpenedStream } from "../stream/streamed_call.ts";
import { answerInFlight, reserveTokens } from "../admit/in_flight_request.ts";
import { HostedAnswer } from "./hosted_answer.ts";
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
  webSearchFor,
} from "./hosted_setup.ts";
import type { HostedTools } from "./hosted_tools.ts";

/**
 * Answers a validated chat request that asks for hosted tools. Throws a `ServiceFault` where it
 * cannot, and `CallerDisconnected` where nobody waits for an answer any more.
 */
export function hostedChat(
  gateway: GatewayContext,
  caller: Caller,
  { body, hosted }: { readonly body: JsonBody; readonly hosted: HostedTools },
): Promise<ModelAnswer> {
  return answerInFlight(gateway, caller, async (trace, onEnd) => {
    requireStores(gateway, caller.key.walletId, hosted);
    if (hosted.webSearch?.isLive === false) throw liveOnly(hosted.webSearch);
    if (hosted.webSearch !== undefined && !canSearchWeb(gateway)) throw noWebSearch();
    const leftOut = leftOutOf(gateway, hosted);
    trace.notCarried = () => leftOut;
    const signed = gateway.signatures.restore(caller.key.id, body);
    const restored = gateway.found.restore(caller.key.id, signed);
    const features = needsTools(await runInSteps(chatFeatureSteps(chatBodyOf(restored).value)));
    if (features.choices > 1) throw oneChoice();
    reserveTokens(gateway, trace, features);
    const plan = await planRoute(gateway, trace, features);
    const setup = hostedSetup(restored, hosted, {
      allowedPath: "tool_choice.allowed_tools.tools",
    });
    // What the model is told of stays there until the answer is whole, whatever is applied meanwhile.
    const web = webSearchFor(gateway, plan);
    const begun = await attempt<OpenedStream<HostedRelay>>(gateway, {
      trace,
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
          keepsLogprobs: !caller.stream,
          form: chatFormOf(caller.dialect, body.value),
          createdSeconds: Math.floor(trace.atMs / 1_000),
          newCallId: () => gateway.rng.id("call"),
        });
        return await openHosted(answer, relay);
      },
    });
    gateway.conversations.set(conversationOf(caller, features), begun.candidate.model.id);
    const { relay } = begun.answer;
    const answer = new HostedAnswer(gateway, {
      ...setup,
      trace,
      begun,
      web,
      begin: laterTurns(gateway, trace, { relay, features }),
    });
    if (!caller.stream) return { kind: "json", text: await answer.complete() };
    const stream = new AnswerStream(gateway, { answer, trace, onEnd });
    return { kind: "stream", bytes: new ReadableStream(stream) };
  });
}

function oneChoice(): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: "Send n as 1 or leave it out: hosted tools work for one choice",
    param: "n",
  });
}
