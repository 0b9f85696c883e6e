/**
 * Answers of upstreams that speak Responses themselves: their own bytes, but for the model's name and
 * the metadata.
 *
 * @module
 */

import type { ErrorEnvelope } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/pricing.ts";
import { type JsonBody, UpstreamCut } from "../../ports/upstream.ts";
import type { AnswerEnd, FailedEnd } from "../answer_relay.ts";
import { type Fields, parsed } from "../chunk.ts";
import { GrowingText } from "../growing_text.ts";
import { editMembers, memberText } from "../json_text.ts";
import { errorEvent, responseErrorOf, responseEvent, type ResponseRelay } from "./relay.ts";
import { mergedMetadata, ResourceWriter, type ResponseContext } from "./resource.ts";
import { readResponseUsage, responseUsageOf } from "./usage.ts";

const OPENING: readonly string[] = ["response.created", "response.queued", "response.in_progress"];
const CLOSING: readonly string[] = ["response.completed", "response.incomplete"];

/** Deltas that are no text. */
const MEDIA_DELTAS: readonly string[] = ["response.audio.delta"];

/** Throws an {@linkcode UpstreamCut} where a native answer is none, or says that it failed. */
export function checkNativeAnswer({ value }: JsonBody): void {
  if (value["status"] === "failed") throw failedUpstream();
  if (!Array.isArray(value["output"])) {
    throw new UpstreamCut("malformed", "The upstream sent an answer without output");
  }
}

/** The resource's JSON text for the caller. */
export function nativeResponseText(
  body: JsonBody,
  context: ResponseContext,
  end: AnswerEnd,
): string {
  return withService(body.text, context, {
    metadata: end.metadata,
    ...(readResponseUsage(body.value["usage"]) === undefined ? { usage: end.usage } : {}),
  });
}

/** Whether an item is a search of the web, and not a look at a page that was found. */
export function isWebSearch(item: unknown): boolean {
  const { type, action } = Object(item);
  return type === "web_search_call" && (Object(action).type ?? "search") === "search";
}

/** Everything a model wrote in an answer, in pieces. */
export function nativeDelivered({ value }: JsonBody): string[] {
  const pieces: string[] = [];
  for (const item of fieldList(value["output"])) {
    for (const name of ["name", "arguments", "input", "code"]) note(item[name], pieces);
    for (const part of [...fieldList(item["summary"]), ...fieldList(item["content"])]) {
      note(part["text"], pieces);
      note(part["refusal"], pieces);
    }
  }
  return pieces;
}

/** Follows one streamed response of a native upstream. */
export class NativeResponseRelay implements ResponseRelay {
  usage: Usage | undefined;
  /** What is signed travels in items of its own here. */
  readonly toolCalls = [];
  /** Searches of the web that the upstream has run. */
  searches = 0;
  resource: string | undefined;
  readonly #context: ResponseContext;
  readonly #written = new GrowingText();
  #id: string | undefined;
  #sequence = 0;
  #closing: { readonly type: string; readonly text: string } | undefined;

  constructor(context: ResponseContext) {
    this.#context = context;
  }

  get finished(): boolean {
    return this.#closing !== undefined;
  }

  get delivered(): readonly string[] {
    const text = this.#written.text();
    return text === "" ? [] : [text];
  }

  accept(text: string): string {
    const event = parsed(text);
    const { type, response, delta } = event;
    if (typeof type !== "string") {
      throw new UpstreamCut("malformed", "The upstream sent an event without a type");
    }
    if (type === "error" || type === "response.failed") throw failedUpstream();
    const number = event["sequence_number"];
    if (typeof number === "number") this.#sequence = number + 1;
    if (type === "response.output_item.done" && isWebSearch(event["item"])) this.searches += 1;
    const isClosing = CLOSING.includes(type);
    if (isClosing || OPENING.includes(type)) {
      if (typeof response !== "object" || response === null) {
        throw new UpstreamCut("malformed", `The upstream sent "${type}" without a response`);
      }
      this.#noteResponse({ ...response });
      if (isClosing) {
        this.#closing = { type, text };
        return "";
      }
      const opening = { metadata: this.#context.opening };
      return responseEvent(type, editResponse(text, this.#context, opening));
    }
    if (typeof delta === "string" && delta !== "" && !MEDIA_DELTAS.includes(type)) {
      this.#written.push(delta);
    }
    return responseEvent(type, text);
  }

  upstreamEnded(): void {
    if (this.#closing === undefined) {
      throw new UpstreamCut("cut", "The upstream ended before its response was complete");
    }
  }

  *completed(end: AnswerEnd): Iterable<string> {
    this.upstreamEnded();
    if (this.#closing === undefined) return;
    const { type, text } = this.#closing;
    const edited = editResponse(text, this.#context, {
      metadata: end.metadata,
      ...(this.usage === undefined ? { usage: end.usage } : {}),
    });
    this.resource = memberText(edited, "response");
    yield responseEvent(type, edited);
  }

  *failed({ error }: ErrorEnvelope, end: FailedEnd): Iterable<string> {
    const { usage } = end;
    this.resource = new ResourceWriter(this.#context).text({
      id: this.#id,
      status: "failed",
      error: responseErrorOf(error),
      usage: usage === undefined ? null : responseUsageOf(usage, undefined),
      metadata: end.metadata,
      output: [],
    });
    const numbered = `"sequence_number":${this.#sequence++},"response":${this.resource}`;
    yield responseEvent("response.failed", `{"type":"response.failed",${numbered}}`);
    yield errorEvent(error, this.#sequence++);
  }

  #noteResponse({ id, usage }: Fields): void {
    if (typeof id === "string") this.#id = id;
    this.usage = readResponseUsage(usage) ?? this.usage;
  }
}

/** What the service writes into a native resource. */
type ServiceFields = Pick<Partial<AnswerEnd>, "usage"> & {
  readonly metadata: ResponseContext["opening"];
};

function editResponse(event: string, context: ResponseContext, fields: ServiceFields): string {
  const response = memberText(event, "response") ?? "{}";
  return editMembers(event, { response: withService(response, context, fields) });
}

function withService(resource: string, context: ResponseContext, fields: ServiceFields): string {
  const { usage, metadata } = fields;
  const { previous_response_id: previousId } = context.request;
  return editMembers(resource, {
    model: JSON.stringify(context.model),
    // The upstream may have been sent the items themselves.
    ...(typeof previousId === "string" ? { previous_response_id: JSON.stringify(previousId) } : {}),
    metadata: JSON.stringify(mergedMetadata(context.request, metadata)),
    ...(usage === undefined ? {} : { usage: JSON.stringify(responseUsageOf(usage, undefined)) }),
  });
}

function failedUpstream(): UpstreamCut {
  return new UpstreamCut("server_error", "The upstream reported that its response failed");
}

function fieldList(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return [];
  return value.filter((element) => typeof element === "object" && element !== null);
}

function note(value: unknown, pieces: string[]): void {
  if (typeof value === "string" && value !== "") pieces.push(value);
}
