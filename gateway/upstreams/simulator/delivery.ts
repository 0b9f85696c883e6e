/**
 * Delivers an answer as a network would: whole or in chunks, in time or late, or broken off.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { setImmediate } from "node:timers/promises";
import type { UpstreamTimeouts } from "../../domain/catalog/catalog.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import {
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamCut,
  type UpstreamFailure,
} from "../../ports/upstream.ts";
import type { SimulatedAnswer } from "./endpoint.ts";
import type { Simulate } from "./misbehaviour.ts";
import { Pause, type PauseOutcome } from "./pause.ts";

/** Delivers an answer to a call, with the requested misbehaviour. */
export async function deliver(
  answer: SimulatedAnswer,
  call: UpstreamCall,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamAnswer> {
  const { simulate } = answer;
  const trouble = call.stream ? troubleAfter(0, simulate) : anyTrouble(simulate);
  const delayMs = trouble === "stall" ? Infinity : simulate.delayMs ?? 0;
  if (delayMs > 0) {
    const late = await waitForFirstByte(delayMs, call, timeouts);
    if (late !== undefined) return late;
  }
  if (simulate.error !== undefined) return failureOf(simulate.error, simulate);
  if (trouble === "malformed") return failure("malformed", "The simulated answer is not JSON");
  if (trouble === "cut") return failure("connect_failed", "The simulated connection was cut");
  if (!call.stream) return whole(answer);
  return { kind: "stream", events: streamOf(answer, call.signal, timeouts) };
}

/** Returns a failure before the first byte. */
export function failure(
  outcome: UpstreamFailure["outcome"],
  message: string,
  details: Omit<Partial<UpstreamFailure>, "kind" | "outcome" | "message"> = {},
): UpstreamFailure {
  return { kind: "failure", outcome, message, ...details };
}

async function waitForFirstByte(
  ms: number,
  call: UpstreamCall,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamFailure | undefined> {
  const outcome = await new Pause(call.signal).wait(ms, timeouts.firstByteMs);
  if (outcome === "cancelled") return failure("cancelled", "The call was cancelled");
  if (outcome === "elapsed") return undefined;
  return failure("timeout", `The simulated answer took longer than ${timeouts.firstByteMs} ms`);
}

function failureOf(status: number, simulate: Simulate): UpstreamFailure {
  return failure(outcomeOf(status), `Simulated error ${status}`, {
    status,
    ...(simulate.retryAfterMs === undefined ? {} : { retryAfterMs: simulate.retryAfterMs }),
  });
}

function outcomeOf(status: number): UpstreamFailure["outcome"] {
  if (status === 400 || status === 422) return "refused_input";
  if (status === 401 || status === 403) return "refused_credentials";
  if (status === 408 || status === 504) return "timeout";
  return status === 429 ? "rate_limited" : "server_error";
}

type Trouble = "cut" | "malformed" | "stall";

function troubleAfter(sent: number, simulate: Simulate): Trouble | undefined {
  if (simulate.cutAfter === sent) return "cut";
  if (simulate.malformedAfter === sent) return "malformed";
  return simulate.stallAfter === sent ? "stall" : undefined;
}

/**
 * Returns the misbehaviour of a JSON answer. The answer is one piece, so with any misbehaviour it
 * fails as a whole.
 */
function anyTrouble(simulate: Simulate): Trouble | undefined {
  const { cutAfter, malformedAfter, stallAfter } = simulate;
  if (stallAfter !== undefined) return "stall";
  return cutAfter !== undefined || malformedAfter !== undefined ? "malformed" : undefined;
}

function whole(answer: SimulatedAnswer): UpstreamAnswer {
  const value = answer.json();
  const usage = answer.usage ?? usageIn(value.usage);
  return {
    kind: "json",
    body: { text: JSON.stringify(value), value },
    ...(usage === undefined ? {} : { usage }),
  };
}

/**
 * Returns token counts as the gateway reads a provider's; `undefined` where they are inconsistent.
 */
function usageIn(reported: unknown): Usage | undefined {
  if (!isJsonObject(reported)) return undefined;
  const details = reported.prompt_tokens_details;
  const inputTokens = reported.prompt_tokens;
  const outputTokens = reported.completion_tokens;
  const cachedInputTokens = isJsonObject(details) ? details.cached_tokens : 0;
  if (!isCount(inputTokens) || !isCount(outputTokens) || !isCount(cachedInputTokens)) {
    return undefined;
  }
  return cachedInputTokens > inputTokens
    ? undefined
    : { inputTokens, cachedInputTokens, outputTokens };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function streamOf(
  answer: SimulatedAnswer,
  signal: AbortSignal,
  timeouts: UpstreamTimeouts,
): AsyncIterable<readonly string[]> {
  return {
    [Symbol.asyncIterator]() {
      const pause = new Pause(signal);
      const sending = send(answer, { pause, idleMs: timeouts.idleMs });
      return {
        next: () => sending.next(),
        // A generator's own `return` would wait for the current pause.
        return: () => {
          pause.end();
          return sending.return(undefined);
        },
      };
    },
  };
}

// Number of chunks after which the loop yields to the event loop, so that a cancellation is
// noticed.
const CHUNKS_IN_A_ROW = 256;

async function* send(
  answer: SimulatedAnswer,
  { pause, idleMs }: { pause: Pause; idleMs: number },
): AsyncGenerator<readonly string[], undefined> {
  const { simulate } = answer;
  const gapMs = simulate.chunkDelayMs ?? 0;
  let sent = 0;
  for (const chunk of answer.chunks()) {
    if (gapMs > 0 && sent > 0) throwUnlessElapsed(await pause.wait(gapMs, idleMs));
    if (sent > 0) await breakOff(sent, simulate, { pause, idleMs });
    if (sent % CHUNKS_IN_A_ROW === CHUNKS_IN_A_ROW - 1) await setImmediate();
    if (pause.cancelled) throwUnlessElapsed("cancelled");
    sent++;
    yield [chunk];
  }
  await breakOff(sent, simulate, { pause, idleMs });
}

function breakOff(
  sent: number,
  simulate: Simulate,
  { pause, idleMs }: { pause: Pause; idleMs: number },
): Promise<void> | undefined {
  const trouble = troubleAfter(sent, simulate);
  if (trouble === undefined) return undefined;
  if (trouble === "stall") return pause.wait(Infinity, idleMs).then(throwUnlessElapsed);
  throw trouble === "cut"
    ? new UpstreamCut("cut", "The simulated connection was cut")
    : new UpstreamCut("malformed", "The simulated stream brought a frame that is no event");
}

function throwUnlessElapsed(outcome: PauseOutcome): void {
  if (outcome === "elapsed") return;
  throw outcome === "timeout"
    ? new UpstreamCut("timeout", "The simulated stream was silent for too long")
    : new UpstreamCut("cut", "The call was cancelled");
}
