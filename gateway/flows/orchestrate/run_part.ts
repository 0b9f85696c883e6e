/**
 * One part of a split request: a call of a model on the shared loop, with a route, a hold, a time
 * limit and a bill of its own.
 *
 * @module
 */

import { agentLoop, type LoopResult } from "@svc/sdk/loop";
import type { ChatRequest, Endpoint } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import { type JsonBody, UpstreamCut } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import { PartRelay } from "../../wire/chat/part_relay.ts";
import { attempt, TIME_OVER } from "../call/attempt.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import { faultOf } from "../call/fault_of.ts";
import { notStreamed, takesChat } from "../hosted/hosted_setup.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";
import { openStream } from "../stream/streamed_call.ts";
import { PartModel, type PartShapes, partSurface } from "./part_model.ts";

/** A part to run. */
export interface Part {
  /** Of the part: see `RequestTrace.part`. */
  readonly trace: RequestTrace;
  /** A chat request. */
  readonly body: JsonBody;
  /** Of the caller's request. */
  readonly endpoint: Endpoint;
  /** What its model is told to do: how hard that is decides which is asked. */
  readonly instruction: string;
  /** Feature tags that its model should carry. @default {none} */
  readonly needs?: readonly string[] | undefined;
  /** Models that are asked only where nobody else can be. @default {none} */
  readonly avoid?: ReadonlySet<string> | undefined;
  /** Longest run, in milliseconds. */
  readonly maxMs: number;
  /** Aborted where nobody waits for it: its reason is `left`, `cut` or `shutdown`. */
  readonly signal: AbortSignal;
  /** Told each piece of its text. */
  onText?(text: string): void;
}

/** What came of a part; either way its holds have ended. */
export type PartOutcome =
  | { readonly ok: true; readonly text: string; readonly isCut: boolean }
  | { readonly ok: false; readonly fault: ServiceFault };

/**
 * Runs a part to its end. A failure is a value. Throws {@linkcode CallerDisconnected} where the signal ends
 * it; then it has been settled, too.
 */
export async function runPart(gateway: GatewayContext, part: Part): Promise<PartOutcome> {
  const limit = new AbortController();
  const callOff = afterMs(part.maxMs, () => limit.abort(TIME_OVER));
  const signal = AbortSignal.any([part.signal, limit.signal]);
  const model = new PartModel(gateway, {
    trace: part.trace,
    begin: (body, stop) => begin(gateway, { ...part, body, signal: stop }),
  });
  try {
    const result = await said(model, part, signal);
    if (result.stoppedBy === "finish") {
      return { ok: true, text: result.finalText, isCut: result.finishReason === "length" };
    }
    const isLate = limit.signal.aborted;
    if (part.signal.aborted) {
      await stop(model, part.signal.reason);
      throw new CallerDisconnected("Nobody waits for the part any more");
    }
    const cause = isLate
      ? new UpstreamCut("timeout", `It took longer than ${part.maxMs} ms`)
      : result.error;
    const cut = await model.cut(cause, { shutdown: false });
    if (cut !== undefined) return { ok: false, fault: cut.fault };
    return { ok: false, fault: isLate ? new ServiceFault("upstream_timeout") : faultOf(cause) };
  } finally {
    callOff();
  }
}

async function said(
  model: PartModel,
  { body, onText }: Part,
  signal: AbortSignal,
): Promise<LoopResult<PartShapes>> {
  const loop = agentLoop<PartShapes>({
    conversation: body,
    surface: partSurface,
    model,
    maxSteps: 1,
    signal,
  });
  for (;;) {
    const next = await loop.next();
    if (next.done) return next.value;
    if (next.value.type === "text_delta") onText?.(next.value.text);
  }
}

/** Ends a call that nobody waits for. */
async function stop(model: PartModel, reason: unknown): Promise<void> {
  if (reason === "left") return await model.leave();
  const cause = new UpstreamCut("cut", "the request was ended");
  await model.cut(cause, { shutdown: reason === "shutdown" });
}

async function begin(gateway: GatewayContext, part: Part) {
  const { trace, body, signal } = part;
  const features = featuresOf(part);
  return await attempt(gateway, {
    trace,
    plan: await planRoute(gateway, trace, features),
    features,
    passable: (candidates) => {
      const passable = candidates.filter(takesChat);
      const others = passable.filter(({ model }) => !part.avoid?.has(model.id));
      return others.length > 0 ? others : passable;
    },
    signal,
    ask: () => ({ endpoint: "chat", body, stream: true }),
    open: (answer) => {
      if (answer.kind !== "stream") throw notStreamed();
      return openStream(answer, new PartRelay());
    },
  });
}

function featuresOf({ body, endpoint, instruction, needs = [] }: Part): RequestFeatures {
  const features = chatFeatures(body.value as unknown as ChatRequest);
  const { difficulty } = chatFeatures({
    model: "auto",
    messages: [{ role: "user", content: instruction }],
  });
  return {
    ...features,
    endpoint,
    difficulty,
    needs: [...new Set([...features.needs, ...needs])],
  };
}
