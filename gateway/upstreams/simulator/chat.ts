/**
 * Chat Completions of a simulated model. The whole answer is made first, and then its JSON or its
 * chunks, so that both have the same content.
 *
 * @module
 */

import type { ChatDelta, ChatUsage, ToolCall } from "@svc/sdk/protocol";
import { answerText } from "./answer_text.ts";
import { readChatRequest, type SimulatedRequest } from "./chat_request.ts";
import type { EndpointSimulator, SimulatedAnswer } from "./endpoint.ts";
import { isPlanning, simulatedPlan } from "./split_task.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { instanceOf } from "./schema_instance.ts";
import { checkSignatures, signCalls } from "./signature.ts";
import { countTokens, takeTokens, tokensOf } from "./text_tokens.ts";
import { chooseCalls, type WantedCall } from "./tool_choice.ts";

/** Answers Chat Completions calls. */
export const simulateChat: EndpointSimulator = (call, context) => {
  const { model, outputLimit } = call;
  const reading = readChatRequest(call.body.value, { model, outputLimit });
  if (isRefusal(reading)) return reading;
  const refusal = checkSignatures(model, reading.steps);
  if (refusal !== undefined) return refusal;
  const simulate = context.failures.apply(reading.simulate, model, reading.task?.id);
  const request = { ...reading, simulate };
  const choices = composeChoices(request, model);
  if (isRefusal(choices)) return choices;
  return present(request, choices, {
    id: `chatcmpl-sim-${hex(request.seed)}-${context.serial}`,
    created: context.created,
    model,
  });
};

/** A choice of an answer. */
interface Choice {
  readonly text: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: string;
  readonly tokens: number;
}

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function composeChoices(request: SimulatedRequest, model: string): Choice[] | Refusal {
  const { simulate } = request;
  const scripted = simulate.empty === true || simulate.text !== undefined ||
    simulate.repeat !== undefined;
  const calls = scripted ? [] : chooseCalls(request);
  if (isRefusal(calls)) return calls;
  const choices: Choice[] = [];
  for (let choice = 0; choice < request.choices; choice++) {
    if (calls.length > 0) {
      choices.push(callTools(request, calls, { model, choice }));
      continue;
    }
    const text = wording(request, { model, choice });
    if (isRefusal(text)) return text;
    choices.push(say(request, text));
  }
  return choices;
}

function wording(
  request: SimulatedRequest,
  options: { model: string; choice: number },
): string | Refusal {
  const { simulate, format } = request;
  if (simulate.empty === true) return "";
  if (simulate.text !== undefined) return simulate.text;
  if (simulate.repeat !== undefined) return " sim".repeat(simulate.repeat).trimStart();
  if (isPlanning(request.task)) return simulatedPlan(request.question);
  if (format.kind !== "schema") {
    const answer = answerText(request, options);
    return format.kind === "text" ? answer : JSON.stringify({ simulated: true, answer });
  }
  const instance = instanceOf(format.schema);
  if (instance !== undefined) return JSON.stringify(instance.value);
  return refuse(
    "response_format.json_schema.schema",
    "Cannot follow the schema: the simulator finds no instance of it",
  );
}

/** Applies stop texts and the output limit. */
function say(request: SimulatedRequest, text: string): Choice {
  const stops = request.stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  const whole = stops.length === 0 ? text : text.slice(0, Math.min(...stops));
  const output = takeTokens(whole, request.outputLimit);
  const finish = output.text.length < whole.length ? "length" : "stop";
  return {
    text: output.text,
    toolCalls: [],
    finish: request.simulate.finishReason ?? finish,
    tokens: output.tokens,
  };
}

function callTools(
  request: SimulatedRequest,
  wanted: readonly WantedCall[],
  options: { model: string; choice: number },
): Choice {
  const calls: ToolCall[] = [];
  let remaining = request.outputLimit;
  let tokens = 0;
  let finish = "tool_calls";
  for (const [index, { name, args }] of wanted.entries()) {
    remaining -= countTokens(name);
    const output = takeTokens(args, remaining);
    if (output.tokens > 0) {
      const id = `call_sim_${hex(request.seed)}_${options.choice}_${index}`;
      calls.push({ id, type: "function", function: { name, arguments: output.text } });
      tokens += countTokens(name) + output.tokens;
    }
    remaining -= output.tokens;
    if (output.text.length === args.length) continue;
    finish = "length";
    break;
  }
  return {
    text: null,
    toolCalls: signCalls(options.model, calls),
    finish: request.simulate.finishReason ?? finish,
    tokens,
  };
}

function hex(seed: number): string {
  return seed.toString(16).padStart(8, "0");
}

function present(
  request: SimulatedRequest,
  choices: readonly Choice[],
  head: Head,
): SimulatedAnswer {
  const { simulate } = request;
  const usage = simulate.noUsage === true ? undefined : usageOf(request, choices);
  return {
    simulate,
    json: () => completionOf(head, choices, usage),
    chunks: () => chunksOf(head, choices, usage),
  };
}

function usageOf(request: SimulatedRequest, choices: readonly Choice[]): ChatUsage {
  const counts = request.simulate.usage ?? {};
  const prompt = counts.prompt_tokens ?? request.inputTokens;
  const completion = counts.completion_tokens ??
    choices.reduce((sum, choice) => sum + choice.tokens, 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: counts.total_tokens ?? prompt + completion,
    prompt_tokens_details: { cached_tokens: counts.cached_tokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function completionOf(
  head: Head,
  choices: readonly Choice[],
  usage: ChatUsage | undefined,
): Record<string, unknown> {
  return {
    id: head.id,
    object: "chat.completion",
    created: head.created,
    model: head.model,
    choices: choices.map(({ text, toolCalls, finish }, index) => ({
      index,
      message: {
        role: "assistant",
        content: text,
        refusal: null,
        ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
      },
      logprobs: null,
      finish_reason: finish,
    })),
    ...(usage === undefined ? {} : { usage }),
  };
}

function* chunksOf(
  head: Head,
  choices: readonly Choice[],
  usage: ChatUsage | undefined,
): Generator<string> {
  const { id, created, model } = head;
  const opening = JSON.stringify({ id, object: "chat.completion.chunk", created, model })
    .slice(0, -1);
  for (const [index, choice] of choices.entries()) {
    const before = `${opening},"choices":[{"index":${index},"delta":`;
    const after = `,"logprobs":null,"finish_reason":null}]}`;
    for (const delta of deltasOf(choice)) yield before + delta + after;
    const finish = JSON.stringify(choice.finish);
    yield `${before}{},"logprobs":null,"finish_reason":${finish}}]}`;
  }
  // The gateway charges by usage, so it is reported whether the caller requested it or not.
  if (usage !== undefined) yield `${opening},"choices":[],"usage":${JSON.stringify(usage)}}`;
}

function* deltasOf({ text, toolCalls }: Choice): Generator<string> {
  const content = text === null ? null : "";
  yield JSON.stringify({ role: "assistant", content, refusal: null } satisfies ChatDelta);
  for (const token of tokensOf(text ?? "")) yield `{"content":${JSON.stringify(token)}}`;
  for (const [index, call] of toolCalls.entries()) {
    const { name, arguments: args } = call.function;
    const named = { index, ...call, function: { name, arguments: "" } };
    yield JSON.stringify({ tool_calls: [named] } satisfies ChatDelta);
    for (const token of tokensOf(args)) {
      const piece = JSON.stringify(token);
      yield `{"tool_calls":[{"index":${index},"function":{"arguments":${piece}}}]}`;
    }
  }
}
