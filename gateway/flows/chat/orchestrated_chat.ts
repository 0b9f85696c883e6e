import type { ChatRequest, Orchestration, ServiceMetadata } from "@svc/sdk/protocol";
import type { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures } from "../../domain/requests/features.ts";
import { invariant } from "../../domain/invariant.ts";
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
import type { OrchestrationSurface } from "../orchestrate/orchestrated_answer.ts";
import type { TaskEvent } from "../orchestrate/task_run.ts";

/** Options of the surface of a split chat request. */
export interface OrchestratedChatOptions {
  readonly active: ActiveRequest;
  /** The chat request of the caller. */
  readonly call: ChatCall;
  readonly form: ChatForm;
  readonly breakdown: Breakdown;
  /** True when the caller is sent the text of tasks. */
  readonly isShown: boolean;
}

/** The call of the answer itself. */
interface Synthesis extends ChatCall {
  readonly begunCall: ChatBegun;
}

/** Reports a split chat request to its caller, and requests the answer with the caller's body. */
export class OrchestratedChat implements OrchestrationSurface {
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
    if (!this.#options.isShown) return "";
    if (event.type === "started") return this.#chunks.started(event.task);
    if (event.type === "ended") return this.#chunks.ended(event.task);
    return this.#chunks.text(event.task, event.text, event.model);
  }

  async stream(note: string, signal: AbortSignal): Promise<StreamedAnswer> {
    const { begunCall, ...call } = await this.#begin(note, signal);
    invariant(begunCall.kind === "stream", "Cannot stream an answer that is whole");
    return followChat(this.#deps, this.#options.active, { ...call, begunCall });
  }

  async complete(note: string, signal: AbortSignal): Promise<string> {
    const { begunCall, ...call } = await this.#begin(note, signal);
    invariant(begunCall.kind === "json", "Cannot complete an answer that is streamed");
    const { metadata } = await finishChat(this.#deps, this.#options.active, { ...call, begunCall });
    return orchestratedAnswerText(begunCall.answer.body, {
      id: this.#id,
      model: begunCall.candidate.model.id,
      metadata,
      form: this.#options.form,
      usage: metadata.billing && usageOf(metadata.billing),
      orchestration: this.#whole(metadata, true),
    });
  }

  failed(fault: ServiceFault): string {
    const { form, active } = this.#options;
    const envelope = envelopeIn(form.dialect, fault.envelope(active.identity.requestId));
    return sseEvent(JSON.stringify({ ...envelope, choices: [] }));
  }

  async #begin(note: string, signal: AbortSignal): Promise<Synthesis> {
    const { active, call, form } = this.#options;
    const body = withNote(call.body, note);
    // It remains the same conversation, although a note was added to its last message.
    const { conversation, endpoint } = call.features;
    const current = chatFeatures(body.value as unknown as ChatRequest);
    const features = { ...current, conversation, endpoint };
    const begunCall = await beginChat(this.#deps, active, {
      body,
      features,
      plan: await planRoute(this.#deps, active, features),
      relayOf: (model, maxTokens) =>
        new OrchestratedChatRelay(model, {
          id: this.#id,
          form,
          maxTokens,
          breakdown: ({ metadata, isDone }) => this.#whole(metadata, isDone),
        }),
      signal,
      wanted: active.identity.stream ? "stream" : "json",
    });
    return { body, features, begunCall };
  }

  #whole({ billing, routing }: ServiceMetadata, isDone: boolean): Orchestration {
    const status = isDone ? "done" : "failed";
    return this.#options.breakdown.whole(status, { billed: billing, model: routing.model });
  }
}
