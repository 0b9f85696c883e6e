import type { Orchestration, RoutingMetadata, ServiceMetadata } from "@svc/sdk/protocol";
import type { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import { invariant } from "../../domain/invariant.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { AnswerEnd } from "../../wire/answer_relay.ts";
import { requestText } from "../../wire/chat/text.ts";
import { lostInCompletion } from "../../wire/lost_output.ts";
import { withNote } from "../../wire/chat/noted_request.ts";
import { responseOf } from "../../wire/responses/answer.ts";
import { ResponseEventRelay } from "../../wire/responses/event_relay.ts";
import type { ResponseContext } from "../../wire/responses/resource.ts";
import { upstreamWarnings } from "../../wire/upstream_warnings.ts";
import type { StreamedAnswer } from "../stream/answer_stream.ts";
import { attempt } from "../call/attempt.ts";
import { CallAnswer } from "../stream/call_answer.ts";
import { beginChat, type ChatDeps, finishChat } from "../chat/chat_call.ts";
import { chatBodyOf } from "../hosted/hosted_conversation.ts";
import { notStreamed, openHosted } from "../hosted/hosted_setup.ts";
import { lastEvent, notStored, storeResponse, type StoreResponseDeps } from "./store_response.ts";
import { conversationOf, type OpenPlan, planRoute } from "../plan/route_plan.ts";
import { learnedMetadata } from "../request/report.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ResponseRequest } from "./response_routes.ts";
import type { Breakdown } from "../orchestrate/breakdown.ts";
import type { FinalCall, OrchestrationSurface } from "../orchestrate/orchestrated_answer.ts";
import type { TaskEvent } from "../orchestrate/task_run.ts";
import type { AcceptedCompletion, AcceptedStream } from "../verify/accepted_answer.ts";
import type { VerifySurface } from "../verify/verify.ts";

/** Parts of the service that the surface uses. */
export type ResponseSurfaceDeps = ChatDeps & StoreResponseDeps;

/** Options of the surface of a split Responses request. */
export interface OrchestratedResponseOptions {
  readonly active: ActiveRequest;
  readonly request: ResponseRequest;
  /** Plan with the candidates that can answer by a chat completion. */
  readonly plan: OpenPlan;
  readonly breakdown: Breakdown;
  /** True when the caller is sent the text of tasks. @default {false} */
  readonly isShown?: boolean | undefined;
}

/**
 * Reports a split or verified Responses request to its caller: only the answer is an item of its
 * output.
 */
export class OrchestratedResponse implements OrchestrationSurface, VerifySurface {
  readonly isEnveloped = false;
  readonly #deps: ResponseSurfaceDeps;
  readonly #options: OrchestratedResponseOptions;
  readonly #context: ResponseContext;
  /**
   * Relay of the whole stream: its events have one sequence of numbers, whichever model answers.
   */
  readonly #relay: ResponseEventRelay;

  constructor(deps: ResponseSurfaceDeps, options: OrchestratedResponseOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#context = this.#contextOf(this.#best().model.id);
    this.#relay = new ResponseEventRelay(this.#context);
  }

  report(event: TaskEvent): string {
    if (this.#options.isShown !== true) return "";
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

  async stream({ note, plan, signal }: FinalCall): Promise<StreamedAnswer> {
    const { active, request } = this.#options;
    const { body, features } = this.#synthesis(note);
    const relay = this.#relay;
    const begunCall = await attempt(this.#deps, {
      active,
      plan: plan ?? await planRoute(this.#deps, active, features),
      features,
      passable: this.#passable,
      callerPath: (path) => request.pathInChat(path),
      signal,
      ask: () => ({ endpoint: "chat", body }),
      open: async (answer) => {
        if (answer.kind !== "stream") throw notStreamed();
        return await openHosted(answer, relay);
      },
    });
    relay.answeredBy(begunCall.candidate.model.id);
    active.report.noteOmissions(() => [
      ...request.leftOutOfChat(),
      ...request.linesOfChat(relay.notCarried),
    ]);
    this.#deps.conversations.set(conversationOf(active, features), begunCall.candidate.model.id);
    return new CallAnswer(this.#deps, {
      active,
      begunCall,
      inputText: () => requestText(body.value),
      store: this.#storeLast,
    });
  }

  async complete({ note, plan, signal }: FinalCall): Promise<string> {
    const { active, request } = this.#options;
    const { body, features } = this.#synthesis(note);
    const begunCall = await beginChat(this.#deps, active, {
      body,
      features,
      plan: plan ?? await planRoute(this.#deps, active, features),
      passable: this.#passable,
      callerPath: (path) => request.pathInChat(path),
      relayOf: () => this.#relay,
      signal,
      wanted: "json",
    });
    invariant(begunCall.kind === "json", "Cannot complete an answer that is streamed");
    this.#noteOmissions(begunCall.answer.body);
    const end = await finishChat(this.#deps, active, { body, begunCall });
    return await this.#text(begunCall.answer.body, begunCall.candidate.model.id, end);
  }

  async accepted({ body, candidate, usage }: AcceptedCompletion): Promise<string> {
    const { active } = this.#options;
    this.#noteOmissions(body);
    const metadata = active.report.metadata(active.bill.settled);
    return await this.#text(body, candidate.model.id, { metadata, usage });
  }

  acceptedStream({ body, candidate }: AcceptedCompletion): AcceptedStream {
    this.#noteOmissions(body);
    this.#relay.answeredBy(candidate.model.id);
    return { relay: this.#relay, store: this.#storeLast };
  }

  failed(fault: ServiceFault): string {
    const { active } = this.#options;
    const { identity: { requestId }, bill: { settled: billing } } = active;
    const metadata: ServiceMetadata = {
      request_id: requestId,
      routing: active.report.routing() ?? this.#unanswered(),
      ...(billing === undefined ? {} : { billing }),
    };
    return [...this.#relay.failed(fault.envelope(requestId), { metadata })].join("");
  }

  #noteOmissions({ value }: JsonBody): void {
    const { active, request } = this.#options;
    active.report.noteOmissions(() => [
      ...request.leftOutOfChat(),
      ...request.linesOfChat([...upstreamWarnings(value), ...lostInCompletion(value)]),
    ]);
  }

  async #text(
    body: JsonBody,
    model: string,
    end: Pick<AnswerEnd, "metadata" | "usage">,
  ): Promise<string> {
    const completedSeconds = Math.floor(this.#deps.clock.nowMs() / 1_000);
    const text = responseOf(body, this.#contextOf(model), { ...end, completedSeconds });
    return await this.#store(text) ? text : notStored(text);
  }

  readonly #storeLast = async (last: string): Promise<string> =>
    lastEvent(last, {
      isStored: await this.#store(this.#relay.resource),
      dialect: this.#options.active.identity.dialect,
    });

  #synthesis(
    note: string | undefined,
  ): { readonly body: JsonBody; readonly features: RequestFeatures } {
    const { request } = this.#options;
    if (note === undefined) return { body: request.chat, features: request.features };
    const body = withNote(request.chat, note);
    // It remains the same conversation, although a note was added to its last message.
    const { conversation, endpoint } = request.features;
    return { body, features: { ...chatFeatures(chatBodyOf(body).value), conversation, endpoint } };
  }

  readonly #passable = (candidates: readonly Candidate[]): readonly Candidate[] =>
    candidates.filter((candidate) => this.#options.request.takesChatRoute(candidate));

  #store(resource: string | undefined): Promise<boolean> {
    const { active, request } = this.#options;
    return storeResponse(this.#deps, active, { request, resource });
  }

  #best(): Candidate {
    const [best] = this.#options.plan.candidates;
    invariant(best !== undefined, "Cannot answer without a candidate");
    return best;
  }

  #contextOf(model: string): ResponseContext {
    const { active, request, breakdown } = this.#options;
    return {
      id: this.#deps.rng.id("resp"),
      request: request.params,
      dialect: active.identity.dialect,
      model,
      createdSeconds: Math.floor(active.atMs / 1_000),
      opening: { request_id: active.identity.requestId },
      newId: (prefix) => this.#deps.rng.id(prefix),
      breakdown: ({ metadata: { billing, routing }, isDone }): Orchestration =>
        breakdown.whole(isDone ? "done" : "failed", {
          billed: billing,
          model: isDone ? routing.model : undefined,
        }),
    };
  }

  /** Returns the route of an answer that never began. */
  #unanswered(): RoutingMetadata {
    const best = this.#best();
    const { model, upstream: { provider } } = best;
    const { plan } = this.#options;
    return {
      model: model.id,
      provider,
      tier: plan.tier.id,
      reason: "No model has begun the answer",
      considered: plan.considered,
      ...learnedMetadata(plan, { candidate: best, isVerified: false }),
      attempts: [],
    };
  }
}
