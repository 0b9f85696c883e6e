/**
 * Writes the response resource as text: members of its request are written once for all events.
 *
 * @module
 */

import type {
  Dialect,
  Orchestration,
  ResponseEcho,
  ResponseMetadata,
  ResponseResource,
  ResponsesRequest,
  ResponseTool,
} from "@svc/sdk/protocol";
import type { FailedEnd } from "../answer_relay.ts";
import { metadataIn } from "../metadata.ts";
import { responseUsageOf } from "./usage.ts";

/** Prefixes of the ids of a response's parts: message, function call, reasoning, call. */
export type ResponseIdPrefix = "msg" | "fc" | "rs" | "call";

/** Context of a response. */
export interface ResponseContext {
  /** Its id, `resp_…`. */
  readonly id: string;
  readonly request: ResponsesRequest;
  /** Dialect of the caller. */
  readonly dialect: Dialect;
  /** Catalog id of the model that answers first. */
  readonly model: string;
  /** Unix time. */
  readonly createdSeconds: number;
  /** Metadata before the end of the call. */
  readonly opening: ResponseMetadata;
  /** Returns a new id for an item. */
  newId(prefix: ResponseIdPrefix): string;
  /** Returns the tasks of a split request and their costs, once its answer has ended. */
  breakdown?(end: FailedEnd & { readonly isDone: boolean }): Orchestration;
}

/** Returns the members about the tasks of a split request; none where it was not split. */
export function partsIn(
  { breakdown }: ResponseContext,
  end: FailedEnd & { readonly isDone: boolean },
): Partial<Pick<ResponseState, "orchestration" | "usage">> {
  if (breakdown === undefined) return {};
  const { billing } = end.metadata;
  const usage = billing && responseUsageOf({
    inputTokens: billing.input_tokens,
    cachedInputTokens: billing.cached_input_tokens,
    outputTokens: billing.output_tokens,
  }, undefined);
  return { orchestration: breakdown(end), ...(usage === undefined ? {} : { usage }) };
}

/** The names of the service's own metadata. */
const RESERVED = ["request_id", "routing", "billing"] as const;

/** Returns the first of the service's own names in a caller's metadata. */
export function reservedMetadataConflict(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  return RESERVED.find((name) => Object.hasOwn(metadata ?? {}, name));
}

/** Returns the JSON text of the caller's pairs with the service's metadata. */
export function metadataTextOf(
  { dialect, request }: Pick<ResponseContext, "dialect" | "request">,
  service: ResponseMetadata,
): string {
  return JSON.stringify(metadataIn(dialect, service, request.metadata));
}

/** Members that change between the events of a response. */
export type ResponseState =
  & Pick<ResponseResource, "status" | "usage">
  & Partial<Pick<ResponseResource, "completed_at" | "incomplete_details" | "error">>
  & {
    readonly metadata: ResponseMetadata;
    /** JSON texts of the items. */
    readonly output: readonly string[];
    /** The response's id, where an upstream generated it. */
    readonly id?: string | undefined;
    /** Tasks of a split request. */
    readonly orchestration?: Orchestration | undefined;
  };

/** Writes the resource of one response, as often as it is sent. */
export class ResourceWriter {
  /** Catalog id of the model that answered last. */
  model: string;
  readonly #context: ResponseContext;
  readonly #echo: string;

  constructor(context: ResponseContext) {
    this.model = context.model;
    this.#context = context;
    this.#echo = JSON.stringify(echoOf(context.request)).slice(1, -1);
  }

  /** Returns the resource's JSON text. */
  text(state: ResponseState): string {
    const { id, createdSeconds } = this.#context;
    const head = {
      id: state.id ?? id,
      object: "response",
      created_at: createdSeconds,
      completed_at: state.completed_at ?? null,
      status: state.status,
      incomplete_details: state.incomplete_details ?? null,
      error: state.error ?? null,
      model: this.model,
      usage: state.usage,
      ...(state.orchestration === undefined ? {} : { orchestration: state.orchestration }),
    } satisfies Omit<ResponseResource, keyof ResponseEcho | "output" | "metadata">;
    const metadata = metadataTextOf(this.#context, state.metadata);
    let text = `${
      JSON.stringify(head).slice(0, -1)
    },"metadata":${metadata},${this.#echo},"output":[`;
    // Concatenated, not joined, so that the items' texts are not copied before they are sent.
    for (const [at, item] of state.output.entries()) text += at === 0 ? item : `,${item}`;
    return `${text}]}`;
  }
}

/** Returns the members that a response repeats of its request, with defaults. */
export function echoOf(request: ResponsesRequest): ResponseEcho {
  const { text, reasoning } = request;
  return {
    previous_response_id: request.previous_response_id ?? null,
    instructions: request.instructions ?? null,
    tools: (request.tools ?? []).map(echoedTool),
    tool_choice: request.tool_choice ?? "auto",
    truncation: request.truncation ?? "disabled",
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    text: { ...text, format: text?.format ?? { type: "text" } },
    top_p: request.top_p ?? 1,
    presence_penalty: numberOr(request["presence_penalty"], 0),
    frequency_penalty: numberOr(request["frequency_penalty"], 0),
    top_logprobs: numberOr(request["top_logprobs"], 0),
    temperature: request.temperature ?? 1,
    reasoning: reasoning === null || reasoning === undefined
      ? null
      : { ...reasoning, effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    user: request.user ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    store: request.store ?? true,
    background: false,
    service_tier: stringOr(request["service_tier"], "default"),
    safety_identifier: stringOr(request["safety_identifier"], null),
    prompt_cache_key: stringOr(request["prompt_cache_key"], null),
    access_programs: null,
  };
}

function echoedTool(tool: ResponseTool): ResponseTool {
  if (tool.type !== "function") return tool;
  const { description, parameters, strict } = tool;
  return {
    ...tool,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function stringOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === "string" ? value : fallback;
}
