/**
 * The entry point of all model calls: takes a request and returns its answer or its failure.
 *
 * @module
 */

import type { Endpoint } from "@svc/sdk/protocol";
import type { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import type { ImageEndpoint } from "../domain/requests/image_features.ts";
import type { JsonBody } from "../ports/upstream.ts";
import {
  admitCall,
  type AdmitDeps,
  type AdmittedCall,
  type IncomingCall,
} from "./admit/admit_call.ts";
import type { KeyLimits } from "./admit/admission.ts";
import { answerInFlight, type InFlightDeps } from "./admit/answer_in_flight.ts";
import { chat, type ChatFlowDeps } from "./chat/chat.ts";
import { embed, type EmbedDeps } from "./embeddings/embed.ts";
import type { HostedTools } from "./hosted/hosted_tools.ts";
import { drawImages, type ImageDeps } from "./images/draw_images.ts";
import { ActiveRequest } from "./request/active_request.ts";
import { faultForCaller } from "./request/fault_of.ts";
import type { ModelAnswer } from "./request/model_answer.ts";
import { respond, type ResponseDeps } from "./responses/responses.ts";
import { logFailure } from "./request/log_failure.ts";
import { earlyFailure, startedInTime } from "./stream/early_stream.ts";

/** The outcome of a model call. */
export type ModelReply =
  & {
    /** The `x-ratelimit-*` headers: the remaining amounts of the key's limits. */
    readonly rateLimits: Readonly<Record<string, string>>;
  }
  & (
    | { readonly ok: true; readonly answer: ModelAnswer }
    /** A `ServiceFault`, a `CallerDisconnected`, a failure of the store, or a bug. */
    | { readonly ok: false; readonly error: unknown }
  );

/** Parts of the service that model calls use. */
export type ModelCallDeps =
  & AdmitDeps
  & InFlightDeps
  & ChatFlowDeps
  & ResponseDeps
  & ImageDeps
  & EmbedDeps
  & {
    readonly admission: KeyLimits;
    /** Longest silence of a stream that is being planned, in milliseconds. @default {KEEP_ALIVE_MS} */
    readonly silenceMs?: number | undefined;
  };

/** Answers an admitted request; `onEnd` must be called when its stream has ended. */
type Flow<Checked> = (
  active: ActiveRequest,
  request: { readonly body: JsonBody; readonly checked: Checked; readonly onEnd: () => void },
) => Promise<ModelAnswer>;

/** The model endpoints of one service. */
export class ModelCalls {
  readonly #deps: ModelCallDeps;

  constructor(deps: ModelCallDeps) {
    this.#deps = deps;
  }

  /** Answers a call of Chat Completions. Never throws. */
  chat(call: IncomingCall<HostedTools>): Promise<ModelReply> {
    return this.#reply(
      "chat",
      call,
      (active, { body, checked, onEnd }) =>
        chat(this.#deps, active, { body, hosted: checked, onEnd }),
    );
  }

  /** Answers a call of Responses. Never throws. */
  responses(call: IncomingCall<HostedTools>): Promise<ModelReply> {
    return this.#reply(
      "responses",
      call,
      (active, { body, checked, onEnd }) =>
        respond(this.#deps, active, { body, hosted: checked, onEnd }),
    );
  }

  /** Answers a call of an image endpoint. Never throws. */
  images(endpoint: ImageEndpoint, call: IncomingCall<void>): Promise<ModelReply> {
    return this.#reply(
      endpoint,
      call,
      (active, { body }) => drawImages(this.#deps, active, { endpoint, body }),
    );
  }

  /** Answers a call of embeddings. Never throws. */
  embeddings(call: IncomingCall<void>): Promise<ModelReply> {
    return this.#reply(
      "embeddings",
      call,
      (active, { body }) => embed(this.#deps, active, body),
    );
  }

  /** Logs a call that was refused before it reached this class. */
  logRefusal(
    { key, requestId, endpoint, signal }: {
      readonly key: KeyRecord;
      readonly requestId: string;
      readonly endpoint: Endpoint;
      readonly signal: AbortSignal;
    },
    fault: ServiceFault,
  ): void {
    const logId = this.#deps.rng.id("log");
    const identity = {
      key,
      requestId,
      logId,
      endpoint,
      stream: false,
      dialect: "service",
    } as const;
    logFailure(this.#deps, new ActiveRequest(identity, { signal }, this.#deps.clock), fault);
  }

  async #reply<Checked>(
    endpoint: Endpoint,
    call: IncomingCall<Checked>,
    flow: Flow<Checked>,
  ): Promise<ModelReply> {
    const { admission, clock } = this.#deps;
    let outcome: { ok: true; answer: ModelAnswer } | { ok: false; error: unknown };
    try {
      const admitted = await admitCall(this.#deps, endpoint, call);
      const answer = await this.#answer(admitted, flow);
      outcome = { ok: true, answer };
    } catch (error) {
      outcome = { ok: false, error };
    }
    return { ...outcome, rateLimits: admission.headers(call.key, clock.nowMs()) };
  }

  /** Returns the answer when it begins; a stream whose planning takes long begins with keep-alives. */
  #answer<Checked>(call: AdmittedCall<Checked>, flow: Flow<Checked>): Promise<ModelAnswer> {
    const { identity, connection } = call;
    if (!identity.stream) return this.#run(call, connection, flow);
    let leaving: AbortController | undefined;
    let isHeadSent = false;
    const begin = (onPlanning: () => void) => {
      const planning = () => {
        onPlanning();
        // Once the head of a stream was sent, that stream reports the disconnect. Most requests
        // need no signal.
        leaving = new AbortController();
        return AbortSignal.any([connection.signal, leaving.signal]);
      };
      const early = { ...connection, onPlanning: planning, isHeadSent: () => isHeadSent };
      return this.#run(call, early, flow);
    };
    return startedInTime(begin, {
      onHead: () => isHeadSent = true,
      onLeave: () => leaving?.abort(),
      silenceMs: this.#deps.silenceMs,
      failed: (error) =>
        earlyFailure(faultForCaller(this.#deps, error, identity.requestId), identity),
    });
  }

  #run<Checked>(
    { identity, body, checked, leave }: AdmittedCall<Checked>,
    connection: AdmittedCall<Checked>["connection"],
    flow: Flow<Checked>,
  ): Promise<ModelAnswer> {
    const active = new ActiveRequest(identity, connection, this.#deps.clock);
    return answerInFlight(this.#deps, active, {
      onLeave: leave,
      answer: (onEnd) => flow(active, { body, checked, onEnd }),
    });
  }
}
