/**
 * One chat completion, from the validated request to the settled bill.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { chatFeatureSteps } from "../domain/features.ts";
import { type JsonBody, UpstreamCut, type UpstreamJson } from "../ports/upstream.ts";
import { inTurns } from "../system/others_turn.ts";
import { answerText, deliveredText, signedToolCalls } from "../wire/chat_answer.ts";
import { ChatRelay } from "../wire/chat_relay.ts";
import { requestText } from "../wire/chat_text.ts";
import { attempt, type Begun } from "./attempt.ts";
import { countTokens, settleCall } from "./bill.ts";
import { AnswerStream } from "./answer_stream.ts";
import { CallAnswer } from "./call_answer.ts";
import type { GatewayContext } from "./context.ts";
import { hostedChat } from "./hosted/hosted_chat.ts";
import { asksForHosted, type HostedTools } from "./hosted/hosted_tools.ts";
import type { ModelAnswer } from "./model_answer.ts";
import { conversationOf, planRoute } from "./plan.ts";
import type { Caller, RequestTrace } from "./request_trace.ts";
import { type OpenedStream, openStream } from "./streamed_call.ts";
import { reserveTokens, underWay } from "./under_way.ts";

type ChatOpened = UpstreamJson | OpenedStream;

/**
 * Answers a validated chat request. Throws a `ServiceFault` where it cannot, and
 * `CallerLeft` where nobody waits for an answer any more; nothing is charged then.
 */
export function chat(
  gateway: GatewayContext,
  caller: Caller,
  { body, hosted }: { readonly body: JsonBody; readonly hosted: HostedTools },
): Promise<ModelAnswer> {
  if (asksForHosted(hosted)) return hostedChat(gateway, caller, { body, hosted });
  return underWay(gateway, caller, async (trace, onEnd) => {
    const signed = gateway.signatures.restore(caller.key.id, body);
    const restored = gateway.found.restore(caller.key.id, signed);
    const features = await inTurns(chatFeatureSteps(restored.value as unknown as ChatRequest));
    reserveTokens(gateway, trace, features);
    const plan = await planRoute(gateway, trace, features);
    const begun = await attempt<ChatOpened>(gateway, {
      trace,
      plan,
      features,
      ask: () => ({ endpoint: "chat", body: restored }),
      open: (answer, { model }) =>
        answer.kind === "stream"
          ? openStream(answer, new ChatRelay(model.id))
          : openChatJson(answer),
    });
    const { answer } = begun;
    gateway.conversations.set(conversationOf(caller, features), begun.candidate.model.id);
    if ("body" in answer) {
      const text = await finishJson(gateway, trace, { ...begun, answer }, restored);
      return { kind: "json", text };
    }
    const inputText = () => requestText(restored.value);
    const streamed = new CallAnswer(gateway, { trace, begun: { ...begun, answer }, inputText });
    const stream = new AnswerStream(gateway, { answer: streamed, trace, onEnd });
    return { kind: "stream", bytes: new ReadableStream(stream) };
  });
}

function openChatJson(answer: UpstreamJson): UpstreamJson {
  if (!Array.isArray(answer.body.value.choices)) {
    throw new UpstreamCut("malformed", "The upstream sent an answer without choices");
  }
  return answer;
}

async function finishJson(
  gateway: GatewayContext,
  trace: RequestTrace,
  begun: Begun<UpstreamJson>,
  request: JsonBody,
): Promise<string> {
  begun.lease.release();
  const { body, usage } = begun.answer;
  const left = trace.caller.signal.aborted;
  gateway.signatures.remember(trace.caller.key.id, signedToolCalls(body));
  const { billing } = await settleCall(gateway, trace, {
    begun,
    end: {
      ending: left ? "client_left" : "finished",
      usage,
      count: () =>
        countTokens(gateway, {
          inputText: () => requestText(request.value),
          delivered: left ? [] : deliveredText(body),
        }),
      wasDelivered: false,
      request: { status: 200, outcome: left ? "client_left" : "ok" },
    },
  });
  return answerText(body, begun.candidate.model.id, trace.metadata(billing));
}
