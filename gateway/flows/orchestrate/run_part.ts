/**
 * One part of a split request: a call of a model on the shared loop, with its own route, hold, time
 * limit and settlement.
 *
 * @module
 */

import type { StreamDeps } from "../stream/streamed_call.ts";
import { agentLoop, type LoopResult } from "@svc/sdk/loop";
import type { ChatRequest, Endpoint } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import { type JsonBody, UpstreamCut } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import { PartRelay } from "../../wire/chat/part_relay.ts";
import { attempt, type CallDeps, TIME_OVER } from "../call/attempt.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { faultOf } from "../request/fault_of.ts";
import { notStreamed, takesChat } from "../hosted/hosted_setup.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { openStream } from "../stream/opened_stream.ts";
import { PartModel, type PartShapes, partSurface } from "./part_model.ts";

/** Parts of the service that a part of a request uses. */
export type PartDeps = CallDeps & StreamDeps;

/** A part to run. */
export interface Part {
  /** The part. See {@linkcode ActiveRequest.part}. */
  readonly active: ActiveRequest;
  /** A chat request. */
  readonly body: JsonBody;
  /** Endpoint of the caller's request. */
  readonly endpoint: Endpoint;
  /** Instruction for its model; its difficulty decides which model is called. */
  readonly instruction: string;
  /** Feature tags that its model should have. @default {none} */
  readonly needs?: readonly string[] | undefined;
  /** Models that are used only if no other can be. @default {none} */
  readonly avoid?: ReadonlySet<string> | undefined;
  /** Maximum duration, in milliseconds. */
  readonly maxMs: number;
  /** Aborted when the part is no longer needed: its reason is `left`, `cut` or `shutdown`. */
  readonly signal: AbortSignal;
  /** Called with each piece of its text. */
  onText?(text: string): void;
}

/** The outcome of a part; in any case its holds have ended. */
export type PartOutcome =
  | { readonly ok: true; readonly text: string; readonly isCut: boolean }
  | { readonly ok: false; readonly fault: ServiceFault };

/**
 * Runs a part to its end. A failure is a value. Throws {@linkcode CallerDisconnected} if the signal
 * ends it; then it has been settled, too.
 */
export async function runPart(deps: PartDeps, part: Part): Promise<PartOutcome> {
  const limit = new AbortController();
  const callOff = afterMs(part.maxMs, () => limit.abort(TIME_OVER));
  const signal = AbortSignal.any([part.signal, limit.signal]);
  const model = new PartModel(deps, {
    active: part.active,
    begin: (body, stop) => begin(deps, { ...part, body, signal: stop }),
  });
  try {
    const result = await runLoop(model, part, signal);
    if (result.stoppedBy === "finish") {
      return { ok: true, text: result.finalText, isCut: result.finishReason === "length" };
    }
    const isLate = limit.signal.aborted;
    if (part.signal.aborted) {
      await stop(model, part.signal.reason);
      throw new CallerDisconnected("The caller disconnected before the part ended");
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

async function runLoop(
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

/** Ends a call that is no longer needed. */
async function stop(model: PartModel, reason: unknown): Promise<void> {
  if (reason === "left") return await model.leave();
  const cause = new UpstreamCut("cut", "the request was ended");
  await model.cut(cause, { shutdown: reason === "shutdown" });
}

async function begin(deps: PartDeps, part: Part) {
  const { active, body, signal } = part;
  const features = featuresOf(part);
  return await attempt(deps, {
    active,
    plan: await planRoute(deps, active, features),
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
  return { ...features, endpoint, difficulty, needs: [...new Set([...features.needs, ...needs])] };
}
