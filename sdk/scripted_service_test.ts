/** A service that follows a script, without a network: what it is sent, and what it answers. */

import { ServiceClient, type ServiceClientOptions } from "./mod.ts";
import type { AssistantMessage, BillingMetadata, ChatCompletionChunk } from "./mod.ts";

export const KEY = "svc_live_0123456789abcdef";
export const MESSAGES = [{ role: "user", content: "Hello" }];

/** A request as it arrived. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
  readonly signal: AbortSignal;
}

/** Answers one request; what it throws is a fault of the network. */
export type Reply = (sent: Sent) => Response | Promise<Response>;

export interface Scripted {
  readonly client: ServiceClient;
  /** In the order they came. */
  readonly sent: readonly Sent[];
}

/** A client whose requests are answered one after the other, the last reply over and over. */
export function scripted(
  replies: Reply | readonly Reply[],
  options: ServiceClientOptions = {},
): Scripted {
  const script = typeof replies === "function" ? [replies] : replies;
  const sent: Sent[] = [];
  const client = new ServiceClient({
    apiKey: KEY,
    apiBaseUrl: "http://svc.test",
    defaultLocalTools: false,
    timeoutMs: 0,
    ...options,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { method, url, headers, signal } = request;
      const text = await request.text();
      const one = { method, url, headers, signal, text, json: JSON.parse(text || "{}") };
      const reply = script[Math.min(sent.length, script.length - 1)];
      sent.push(one);
      if (reply === undefined) throw new Error("The script has no reply");
      return await reply(one);
    },
  });
  return { client, sent };
}

/** Replies with JSON. */
export function json(value: unknown, init?: ResponseInit): Reply {
  return () => Response.json(value, init);
}

/** Replies with a stream of these events and its end. */
export function sse(...events: readonly unknown[]): Reply {
  return () => new Response(framed(events));
}

/** Replies with a stream that is cut after these events. */
export function cut(...events: readonly unknown[]): Reply {
  return () => new Response(framed(events).replace("data: [DONE]\n\n", ""));
}

function framed(events: readonly unknown[]): string {
  const texts = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
  return texts.map((text) => `data: ${text}\n\n`).join("");
}

export function call(id: string, name: string, input: unknown = {}) {
  return { id, type: "function" as const, function: { name, arguments: JSON.stringify(input) } };
}

/** A whole completion. */
export function completion(
  message: Partial<AssistantMessage>,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "only",
    choices: [{
      index: 0,
      message: { role: "assistant", content: null, refusal: null, ...message },
      logprobs: null,
      finish_reason: message.tool_calls === undefined ? "stop" : "tool_calls",
    }],
    ...more,
  };
}

/** A chunk of its first choice. */
export function chunk(
  delta: Readonly<Record<string, unknown>>,
  finish_reason: string | null = null,
  more: Readonly<Record<string, unknown>> = {},
): ChatCompletionChunk {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "only",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  } as ChatCompletionChunk;
}

/** The bill of a call. */
export function bill(charged: string, input = 10, output = 5): BillingMetadata {
  return {
    currency: "credits",
    charged,
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
    total_tokens: input + output,
    estimated: false,
    price_version: 1,
  };
}

export function metadata(request_id: string, charged: string) {
  const routing = { model: "only", provider: "p", tier: "standard", reason: "", considered: 1 };
  return { request_id, routing: { ...routing, attempts: [] }, billing: bill(charged) };
}

/** A stream of one completion, in pieces of a character. */
export function streamOf(
  { content = "", tool_calls = [] }: Partial<AssistantMessage>,
  more: Readonly<Record<string, unknown>> = {},
): ChatCompletionChunk[] {
  const finish = tool_calls.length === 0 ? "stop" : "tool_calls";
  return [
    chunk({ role: "assistant", content: "" }),
    ...[...content ?? ""].map((content) => chunk({ content })),
    ...tool_calls.map((one, index) => chunk({ tool_calls: [{ index, ...one }] })),
    chunk({}, finish),
    { ...chunk({}), choices: [], ...more },
  ];
}

/** Reads to the end. */
export async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(events);
}
