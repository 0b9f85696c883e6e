/**
 * One chat completion, from the validated request to the settled bill.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { chatFeatures } from "../domain/features.ts";
import { typicalTokens } from "../domain/token_estimate.ts";
import { type JsonBody, UpstreamCut, type UpstreamJson } from "../ports/upstream.ts";
import { answerText, deliveredText, signedToolCalls } from "../wire/chat_answer.ts";
import { requestText } from "../wire/chat_text.ts";
import { attempt, type Begun } from "./attempt.ts";
import { countTokens, settleCall } from "./bill.ts";
import { ChatStream, openChatStream, type OpenedStream } from "./chat_stream.ts";
import type { GatewayContext } from "./context.ts";
import { logFailure } from "./log_failure.ts";
import { conversationOf, planRoute } from "./plan.ts";
import { type Caller, RequestTrace } from "./request_trace.ts";

/** An answer: complete, or a stream of bytes. */
export type ChatAnswer =
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "stream"; readonly bytes: ReadableStream<Uint8Array> };

type ChatOpened = UpstreamJson | OpenedStream;

/**
 * Answers a validated chat request. Throws a `ServiceFault` where it cannot, and
 * `CallerLeft` where nobody waits for an answer any more; nothing is charged then.
 */
export async function chat(
  gateway: GatewayContext,
  caller: Caller,
  body: JsonBody,
): Promise<ChatAnswer> {
  const trace = new RequestTrace(caller, gateway.clock);
  const leave = gateway.inFlight.enter(() => {
    gateway.admission.spent(caller.key, 0, gateway.clock.nowMs(), trace.reserved);
    caller.onSettled();
  });
  let streaming = false;
  try {
    const restored = gateway.signatures.restore(caller.key.id, body);
    const features = chatFeatures(restored.value as unknown as ChatRequest);
    const tokens = typicalTokens(features);
    trace.reserved = gateway.admission.reserve(caller.key, tokens, gateway.clock.nowMs());
    const plan = await planRoute(gateway, trace, features);
    const begun = await attempt<ChatOpened>(gateway, {
      trace,
      plan,
      body: restored,
      choices: features.choices,
      open: (answer, { model }) =>
        answer.kind === "stream" ? openChatStream(answer, model.id) : openChatJson(answer),
    });
    const { answer } = begun;
    gateway.conversations.set(conversationOf(caller, features), begun.candidate.model.id);
    if ("body" in answer) {
      return {
        kind: "json",
        text: await finishJson(gateway, trace, { ...begun, answer }, restored),
      };
    }
    streaming = true;
    const stream = new ChatStream(gateway, {
      trace,
      body: restored,
      begun: { ...begun, answer },
      onEnd: leave,
    });
    return { kind: "stream", bytes: new ReadableStream(stream) };
  } catch (error) {
    logFailure(gateway, trace, error);
    throw error;
  } finally {
    if (!streaming) leave();
  }
}

function openChatJson(answer: UpstreamJson): Promise<UpstreamJson> {
  if (!Array.isArray(answer.body.value.choices)) {
    throw new UpstreamCut("malformed", "The upstream sent an answer without choices");
  }
  return Promise.resolve(answer);
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
      ending: "finished",
      usage,
      count: () =>
        countTokens(gateway, {
          inputText: () => requestText(request.value),
          delivered: deliveredText(body),
        }),
      wasDelivered: false,
      status: 200,
      outcome: left ? "client_left" : "ok",
    },
  });
  return answerText(body, begun.candidate.model.id, trace.metadata(billing));
}
