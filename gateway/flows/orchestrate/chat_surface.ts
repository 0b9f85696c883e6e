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
  finishChat,
  followChat,
} from "../call/chat_call.ts";
import type { GatewayContext } from "../context.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";
import { type Breakdown, usageOf } from "./breakdown.ts";
import type { OrchestrationSurface } from "./orchestrated_answer.ts";
import type { TaskEvent } from "./task_run.ts";

/** What a split chat request is told with. */
export interface OrchestratedChatOptions {
  readonly trace: RequestTrace;
  /** The caller's own request. */
  readonly call: ChatCall;
  readonly form: ChatForm;
  readonly breakdown: Breakdown;
  /** Whether the caller is sent what tasks say. */
  readonly isShown: boolean;
}

/** The answer's own call. */
interface Synthesis extends ChatCall {
  readonly begun: ChatBegun;
}

/** Tells a split chat request, and asks for its answer with the caller's own body. */
export class OrchestratedChat implements OrchestrationSurface {
  readonly isEnveloped = true;
  readonly #gateway: GatewayContext;
  readonly #options: OrchestratedChatOptions;
  /** Of the answer, and of every chunk. */
  readonly #id: string;
  readonly #chunks: TaskChunks;

  constructor(gateway: GatewayContext, options: OrchestratedChatOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#id = gateway.rng.id("chatcmpl");
    const createdSeconds = Math.floor(options.trace.atMs / 1_000);
    const { dialect } = options.form;
    this.#chunks = new TaskChunks({ id: this.#id, createdSeconds, dialect });
  }

  tell(event: TaskEvent): string {
    if (!this.#options.isShown) return "";
    if (event.type === "started") return this.#chunks.started(event.task);
    if (event.type === "ended") return this.#chunks.ended(event.task);
    return this.#chunks.text(event.task, event.text, event.model);
  }

  async stream(note: string, signal: AbortSignal): Promise<StreamedAnswer> {
    const { begun, ...asked } = await this.#begin(note, signal);
    invariant(begun.kind === "stream", "Cannot stream an answer that is whole");
    return followChat(this.#gateway, this.#options.trace, { ...asked, begun });
  }

  async complete(note: string, signal: AbortSignal): Promise<string> {
    const { begun, ...asked } = await this.#begin(note, signal);
    invariant(begun.kind === "json", "Cannot complete an answer that is streamed");
    const { metadata } = await finishChat(this.#gateway, this.#options.trace, { ...asked, begun });
    return orchestratedAnswerText(begun.answer.body, {
      id: this.#id,
      model: begun.candidate.model.id,
      metadata,
      form: this.#options.form,
      usage: metadata.billing && usageOf(metadata.billing),
      orchestration: this.#whole(metadata, true),
    });
  }

  failed(fault: ServiceFault): string {
    const { form, trace } = this.#options;
    const envelope = envelopeIn(form.dialect, fault.envelope(trace.caller.requestId));
    return sseEvent(JSON.stringify({ ...envelope, choices: [] }));
  }

  async #begin(note: string, signal: AbortSignal): Promise<Synthesis> {
    const { trace, call, form } = this.#options;
    const body = withNote(call.body, note);
    // It is the same conversation, whatever is written under its last message.
    const { conversation, endpoint } = call.features;
    const asked = chatFeatures(body.value as unknown as ChatRequest);
    const features = { ...asked, conversation, endpoint };
    const begun = await beginChat(this.#gateway, trace, {
      body,
      features,
      plan: await planRoute(this.#gateway, trace, features),
      relayOf: (model, maxTokens) =>
        new OrchestratedChatRelay(model, {
          id: this.#id,
          form,
          maxTokens,
          breakdown: ({ metadata, isDone }) => this.#whole(metadata, isDone),
        }),
      signal,
      wanted: trace.caller.stream ? "stream" : "json",
    });
    return { body, features, begun };
  }

  #whole({ billing, routing }: ServiceMetadata, isDone: boolean): Orchestration {
    const status = isDone ? "done" : "failed";
    return this.#options.breakdown.whole(status, { billed: billing, model: routing.model });
  }
}
