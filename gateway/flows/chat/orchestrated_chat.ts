import type { ChatRequest, Orchestration, ServiceMetadata } from "@svc/sdk/protocol";
import type { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures } from "../../domain/requests/features.ts";
import { invariant } from "../../domain/invariant.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { orchestratedAnswerText } from "../../wire/chat/answer.ts";
import type { ChatForm } from "../../wire/chat/form.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import { withNote } from "../../wire/chat/noted_request.ts";
import { OrchestratedChatRelay } from "../../wire/chat/orchestrated_relay.ts";
import { sseEvent } from "../../wire/sse.ts";
import { TaskChunks } from "../../wire/chat/task_chunks.ts";
import type { StreamedAnswer } from "../stream/answer_stream.ts";
import {
  beginChat,
  type ChatBegun,
  type ChatCall,
  type ChatDeps,
  finishChat,
  followChat,
} from "./chat_call.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type Breakdown, usageOf } from "../orchestrate/breakdown.ts";
import type { FinalCall, OrchestrationSurface } from "../orchestrate/orchestrated_answer.ts";
import type { TaskEvent } from "../orchestrate/task_run.ts";
import type { AcceptedCompletion, AcceptedStream } from "../verify/accepted_answer.ts";
import type { VerifySurface } from "../verify/verify.ts";

/** Options of the surface of a split chat request. */
export interface OrchestratedChatOptions {
  readonly active: ActiveRequest;
  /** The chat request of the caller. */
  readonly call: ChatCall;
  readonly form: ChatForm;
  readonly breakdown: Breakdown;
  /** True when the caller is sent the text of tasks. @default {false} */
  readonly isShown?: boolean | undefined;
  /** False when its tasks only verify an answer. @default {true} */
  readonly isSplit?: boolean | undefined;
}

/** The call of the answer itself. */
interface Synthesis extends ChatCall {
  readonly begunCall: ChatBegun;
}

/**
 * Reports a split or verified chat request to its caller, and requests the answer with the caller's
 * body.
 */
export class OrchestratedChat implements OrchestrationSurface, VerifySurface {
  readonly isEnveloped = true;
  readonly #deps: ChatDeps;
  readonly #options: OrchestratedChatOptions;
  /** Id of the answer and of every chunk. */
  readonly #id: string;
  readonly #chunks: TaskChunks;

  constructor(deps: ChatDeps, options: OrchestratedChatOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#id = deps.rng.id("chatcmpl");
    const createdSeconds = Math.floor(options.active.atMs / 1_000);
    const { dialect } = options.form;
    this.#chunks = new TaskChunks({ id: this.#id, createdSeconds, dialect });
  }

  report(event: TaskEvent): string {
    if (this.#options.isShown !== true) return "";
    if (event.type === "started") return this.#chunks.started(event.task);
    if (event.type === "ended") return this.#chunks.ended(event.task);
    return this.#chunks.text(event.task, event.text, event.model);
  }

  async stream(final: FinalCall): Promise<StreamedAnswer> {
    const { begunCall, ...call } = await this.#begin(final);
    invariant(begunCall.kind === "stream", "Cannot stream an answer that is whole");
    return followChat(this.#deps, this.#options.active, { ...call, begunCall });
  }

  async complete(final: FinalCall): Promise<string> {
    const { begunCall, ...call } = await this.#begin(final);
    invariant(begunCall.kind === "json", "Cannot complete an answer that is streamed");
    const { metadata } = await finishChat(this.#deps, this.#options.active, { ...call, begunCall });
    return this.#text(begunCall.answer.body, begunCall.candidate.model.id, metadata);
  }

  accepted({ body, candidate }: AcceptedCompletion): Promise<string> {
    const { active } = this.#options;
    const metadata = active.report.metadata(active.bill.settled);
    return Promise.resolve(this.#text(body, candidate.model.id, metadata));
  }

  acceptedStream({ candidate }: AcceptedCompletion): AcceptedStream {
    return { relay: this.#relayOf(candidate.model.id) };
  }

  failed(fault: ServiceFault): string {
    const { form, active } = this.#options;
    const envelope = envelopeIn(form.dialect, fault.envelope(active.identity.requestId));
    return sseEvent(JSON.stringify({ ...envelope, choices: [] }));
  }

  async #begin({ note, plan, signal }: FinalCall): Promise<Synthesis> {
    const { active, call } = this.#options;
    const { body, features } = note === undefined ? call : noted(call, note);
    const begunCall = await beginChat(this.#deps, active, {
      body,
      features,
      plan: plan ?? await planRoute(this.#deps, active, features),
      relayOf: (model, maxTokens) => this.#relayOf(model, maxTokens),
      signal,
      wanted: active.identity.stream ? "stream" : "json",
    });
    return { body, features, begunCall };
  }

  #relayOf(model: string, maxTokens?: number): OrchestratedChatRelay {
    const { form, isSplit } = this.#options;
    return new OrchestratedChatRelay(model, {
      id: this.#id,
      form,
      maxTokens,
      isSplit,
      breakdown: ({ metadata, isDone }) => this.#whole(metadata, isDone),
    });
  }

  #text(body: JsonBody, model: string, metadata: ServiceMetadata): string {
    return orchestratedAnswerText(body, {
      id: this.#id,
      model,
      metadata,
      form: this.#options.form,
      usage: metadata.billing && usageOf(metadata.billing),
      orchestration: this.#whole(metadata, true),
    });
  }

  #whole({ billing, routing }: ServiceMetadata, isDone: boolean): Orchestration {
    const status = isDone ? "done" : "failed";
    return this.#options.breakdown.whole(status, { billed: billing, model: routing.model });
  }
}

/** Returns a request with a note. It remains the same conversation. */
function noted(call: ChatCall, note: string): ChatCall {
  const body = withNote(call.body, note);
  const { conversation, endpoint } = call.features;
  const features = chatFeatures(body.value as unknown as ChatRequest);
  return { body, features: { ...features, conversation, endpoint } };
}
