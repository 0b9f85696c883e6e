/**
 * Calls of the simulator, for tests.
 *
 * @module
 */

import { fail } from "@std/assert";
import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from "@svc/sdk/protocol";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type {
  Upstream,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamFailure,
} from "../../ports/upstream.ts";
import { createSimulator } from "./simulator.ts";

/** Fields of a call that a test sets; the others have usual values. */
export type CallOptions = Partial<Omit<UpstreamCall, "body">> & {
  readonly simulator?: Upstream;
};

const CONFIG: UpstreamConfig = {
  id: "sim",
  kind: "simulator",
  provider: "sim",
  maxInFlight: 200,
  onDisconnect: "cancel",
  timeouts: { connectMs: 5_000, firstByteMs: 20, idleMs: 20 },
};

const CLOCK = { nowMs: () => 1_700_000_000_999, monotonicMs: () => 0 };

/** Returns a simulator with timeouts of 20 ms. */
export function simulatorForTest(): Upstream {
  return createSimulator(CONFIG, { clock: CLOCK });
}

/** Calls a simulator: a new one by default. */
export function send(
  body: Record<string, unknown>,
  options: CallOptions = {},
): Promise<UpstreamAnswer> {
  const { simulator = simulatorForTest(), ...call } = options;
  return simulator.call({
    endpoint: "chat",
    model: "sim-small",
    body: { text: JSON.stringify(body), value: body },
    stream: false,
    requestId: "req_test",
    signal: new AbortController().signal,
    ...call,
  });
}

/** Returns a body with one question. */
export function ask(content: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: "auto", messages: [{ role: "user", content }], ...more };
}

/** Returns the JSON answer to a body. */
export async function complete(
  body: Record<string, unknown>,
  options: CallOptions = {},
): Promise<ChatCompletion> {
  const answer = await send(body, options);
  if (answer.kind !== "json") fail(`Expected JSON, got ${JSON.stringify(answer)}`);
  return JSON.parse(answer.body.text);
}

/** Returns the failure of a body. */
export async function failed(
  body: Record<string, unknown>,
  options: CallOptions = {},
): Promise<UpstreamFailure> {
  const answer = await send(body, options);
  if (answer.kind !== "failure") fail(`Expected a failure, got ${JSON.stringify(answer)}`);
  return answer;
}

/** Returns the events of a body, up to a fault. */
export async function* stream(
  body: Record<string, unknown>,
  options: CallOptions = {},
): AsyncGenerator<ChatCompletionChunk> {
  const answer = await send(body, { ...options, stream: true });
  if (answer.kind !== "stream") fail(`Expected a stream, got ${JSON.stringify(answer)}`);
  for await (const events of answer.events) for (const event of events) yield JSON.parse(event);
}

/** Returns the text of the only choice. */
export function textOf(completion: ChatCompletion): string {
  return completion.choices[0]?.message.content ?? fail("Expected a text");
}
