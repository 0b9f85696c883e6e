import type { Orchestration, RoutingMetadata, ServiceMetadata } from "@svc/sdk/protocol";
import type { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import { invariant } from "../../domain/invariant.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { requestText } from "../../wire/chat/text.ts";
import { lostInCompletion } from "../../wire/lost_output.ts";
import { withNote } from "../../wire/chat/noted_request.ts";
import { responseOf } from "../../wire/responses/answer.ts";
import { ResponseEventRelay } from "../../wire/responses/event_relay.ts";
import type { ResponseContext } from "../../wire/responses/resource.ts";
import { upstreamWarnings } from "../../wire/upstream_warnings.ts";
import type { StreamedAnswer } from "../stream/answer_stream.ts";
import { attempt } from "../call/attempt.ts";
import { CallAnswer } from "../call/call_answer.ts";
import { beginChat, finishChat } from "../call/chat_call.ts";
import type { GatewayContext } from "../context.ts";
import { chatBodyOf } from "../hosted/hosted_conversation.ts";
import { notStreamed, openHosted } from "../hosted/hosted_setup.ts";
import { lastEvent, notStored, storeResponse } from "../responses/store_response.ts";
import { conversationOf, type OpenPlan, planRoute } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";
import type { AskedResponse } from "../responses/response_routes.ts";
import type { Breakdown } from "./breakdown.ts";
import type { OrchestrationSurface } from "./orchestrated_answer.ts";
import type { TaskEvent } from "./task_run.ts";

/** What a split Responses request is told with. */
export interface OrchestratedResponseOptions {
  readonly trace: RequestTrace;
  readonly asked: AskedResponse;
  /** Of those that could answer it by a chat completion. */
  readonly plan: OpenPlan;
  readonly breakdown: Breakdown;
  /** Whether the caller is sent what tasks say. */
  readonly isShown: boolean;
}

/** Tells a split Responses request: the answer alone is an item of its output. */
export class OrchestratedResponse implements OrchestrationSurface {
  readonly isEnveloped = false;
  readonly #gateway: GatewayContext;
  readonly #options: OrchestratedResponseOptions;
  readonly #context: ResponseContext;
  /** Of the whole stream: its events are counted in one row, whoever answers. */
  readonly #relay: ResponseEventRelay;

  constructor(gateway: GatewayContext, options: OrchestratedResponseOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#context = this.#contextOf(this.#best().model.id);
    this.#relay = new ResponseEventRelay(this.#context);
    options.trace.callerPath = (path) => options.asked.pathInChat(path);
  }

  tell(event: TaskEvent): string {
    if (!this.#options.isShown) return "";
    if (event.type === "ended") {
      return this.#relay.extension("svc:orchestration.task.done", { orchestration: event.task });
    }
    const { taskId, title } = event.task;
    const orchestration = { task_id: taskId, title };
    if (event.type === "started") {
      return this.#relay.extension("svc:orchestration.task.started", {
        orchestration: { ...orchestration, status: "started" },
      });
    }
    const { text: delta } = event;
    return this.#relay.extension("svc:orchestration.task.delta", { orchestration, delta });
  }

  async stream(note: string, signal: AbortSignal): Promise<StreamedAnswer> {
    const { trace, asked } = this.#options;
    const { body, features } = this.#synthesis(note);
    const relay = this.#relay;
    const begun = await attempt(this.#gateway, {
      trace,
      plan: await planRoute(this.#gateway, trace, features),
      features,
      passable: this.#passable,
      signal,
      ask: () => ({ endpoint: "chat", body }),
      open: async (answer) => {
        if (answer.kind !== "stream") throw notStreamed();
        return await openHosted(answer, relay);
      },
    });
    relay.answeredBy(begun.candidate.model.id);
    trace.notCarried = () => [
      ...asked.leftOutOfChat(),
      ...asked.linesOfChat(relay.notCarried),
    ];
    this.#gateway.conversations.set(
      conversationOf(trace.caller, features),
      begun.candidate.model.id,
    );
    return new CallAnswer(this.#gateway, {
      trace,
      begun,
      inputText: () => requestText(body.value),
      keep: async (last) =>
        lastEvent(last, {
          isKept: await this.#keep(relay.resource),
          dialect: trace.caller.dialect,
        }),
    });
  }

  async complete(note: string, signal: AbortSignal): Promise<string> {
    const { trace, asked } = this.#options;
    const { body, features } = this.#synthesis(note);
    const begun = await beginChat(this.#gateway, trace, {
      body,
      features,
      plan: await planRoute(this.#gateway, trace, features),
      passable: this.#passable,
      relayOf: () => this.#relay,
      signal,
      wanted: "json",
    });
    invariant(begun.kind === "json", "Cannot complete an answer that is streamed");
    const { value } = begun.answer.body;
    trace.notCarried = () => [
      ...asked.leftOutOfChat(),
      ...asked.linesOfChat([...upstreamWarnings(value), ...lostInCompletion(value)]),
    ];
    const end = await finishChat(this.#gateway, trace, { body, features, begun });
    const text = responseOf(begun.answer.body, this.#contextOf(begun.candidate.model.id), {
      ...end,
      completedSeconds: Math.floor(this.#gateway.clock.nowMs() / 1_000),
    });
    return await this.#keep(text) ? text : notStored(text);
  }

  failed(fault: ServiceFault): string {
    const { trace } = this.#options;
    const { caller, billed: billing } = trace;
    const metadata: ServiceMetadata = {
      request_id: caller.requestId,
      routing: trace.routing() ?? this.#unanswered(),
      ...(billing === undefined ? {} : { billing }),
    };
    return [...this.#relay.failed(fault.envelope(caller.requestId), { metadata })].join("");
  }

  #synthesis(note: string): { readonly body: JsonBody; readonly features: RequestFeatures } {
    const { asked } = this.#options;
    const body = withNote(asked.chat, note);
    // It is the same conversation, whatever is written under its last message.
    const { conversation, endpoint } = asked.features;
    return { body, features: { ...chatFeatures(chatBodyOf(body).value), conversation, endpoint } };
  }

  readonly #passable = (candidates: readonly Candidate[]): readonly Candidate[] =>
    candidates.filter((candidate) => this.#options.asked.takesChatRoad(candidate));

  #keep(resource: string | undefined): Promise<boolean> {
    const { trace, asked } = this.#options;
    return storeResponse(this.#gateway, trace, { asked, resource });
  }

  #best(): Candidate {
    const [best] = this.#options.plan.candidates;
    invariant(best !== undefined, "Cannot answer without a candidate");
    return best;
  }

  #contextOf(model: string): ResponseContext {
    const { trace, asked, breakdown } = this.#options;
    return {
      id: this.#gateway.rng.id("resp"),
      request: asked.request,
      dialect: trace.caller.dialect,
      model,
      createdSeconds: Math.floor(trace.atMs / 1_000),
      opening: { request_id: trace.caller.requestId },
      newId: (prefix) => this.#gateway.rng.id(prefix),
      breakdown: ({ metadata: { billing, routing }, isDone }): Orchestration =>
        breakdown.whole(isDone ? "done" : "failed", {
          billed: billing,
          model: isDone ? routing.model : undefined,
        }),
    };
  }

  /** The route of an answer that never began. */
  #unanswered(): RoutingMetadata {
    const { model, upstream: { provider } } = this.#best();
    const { tier, considered } = this.#options.plan;
    const reason = "No model has begun the answer";
    return { model: model.id, provider, tier: tier.id, reason, considered, attempts: [] };
  }
}
