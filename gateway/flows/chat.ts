/**
 * One chat completion, from the validated request to the settled bill.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { chatFeatureSteps } from "../domain/requests/features.ts";
import type { JsonBody } from "../ports/upstream.ts";
import { runInSteps } from "../system/yield_to_event_loop.ts";
import { answerText } from "../wire/chat/answer.ts";
import { chatFormOf } from "../wire/chat/form.ts";
import { ChatRelay } from "../wire/chat/relay.ts";
import { AnswerStream } from "./stream/answer_stream.ts";
import { beginChat, type ChatCall, finishChat, followChat } from "./call/chat_call.ts";
import type { GatewayContext } from "./context.ts";
import { hostedChat } from "./hosted/hosted_chat.ts";
import { asksForHosted, type HostedTools } from "./hosted/hosted_tools.ts";
import type { ModelAnswer } from "./model_answer.ts";
import { orchestrate } from "./orchestrate/orchestrate.ts";
import { OrchestratedChat } from "./orchestrate/chat_surface.ts";
import { planRoute } from "./plan/route_plan.ts";
import type { Caller } from "./request_trace.ts";
import { answerInFlight, reserveTokens } from "./admit/in_flight_request.ts";

/**
 * Answers a validated chat request. Throws a `ServiceFault` where it cannot, and
 * `CallerDisconnected` where nobody waits for an answer any more; nothing is charged then.
 */
export function chat(
  gateway: GatewayContext,
  caller: Caller,
  { body, hosted }: { readonly body: JsonBody; readonly hosted: HostedTools },
): Promise<ModelAnswer> {
  if (asksForHosted(hosted)) return hostedChat(gateway, caller, { body, hosted });
  return answerInFlight(gateway, caller, async (trace, onEnd) => {
    const signed = gateway.signatures.restore(caller.key.id, body);
    const restored = gateway.found.restore(caller.key.id, signed);
    const features = await runInSteps(chatFeatureSteps(restored.value as unknown as ChatRequest));
    reserveTokens(gateway, trace, features);
    const plan = await planRoute(gateway, trace, features);
    const call: ChatCall = { body: restored, features };
    const form = chatFormOf(caller.dialect, body.value);
    const split = await orchestrate(gateway, trace, {
      ...call,
      plan,
      surface: (known) => new OrchestratedChat(gateway, { ...known, trace, call, form }),
      onEnd,
    });
    if (split !== undefined) return split;
    const begun = await beginChat(gateway, trace, {
      ...call,
      // What a planner took, in time and money, is gone.
      plan: trace.billed === undefined ? plan : await planRoute(gateway, trace, features),
      relayOf: (model, maxTokens) => new ChatRelay(model, { form, maxTokens }),
    });
    if (begun.kind === "json") {
      const end = await finishChat(gateway, trace, { ...call, begun });
      const { answer, candidate } = begun;
      const text = answerText(answer.body, { model: candidate.model.id, ...end, form });
      return { kind: "json", text };
    }
    const answer = followChat(gateway, trace, { ...call, begun });
    const stream = new AnswerStream(gateway, { answer, trace, onEnd });
    return { kind: "stream", bytes: new ReadableStream(stream) };
  });
}
