/**
 * Answers of upstreams of Responses: they keep their bytes, except for the model's name and the
 * metadata.
 *
 * @module
 */

import { type ErrorEnvelope, isJsonObject, type ResponseUsage } from "@svc/sdk/protocol";
import type { ObservedAnswer } from "../../domain/learning/answer_check.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { type JsonBody, UpstreamCut } from "../../ports/upstream.ts";
import type { AnswerEnd, FailedEnd } from "../answer_relay.ts";
import { collectStrings } from "../chat/text.ts";
import { type Fields, parsed } from "../chat/chunk.ts";
import { DeliveredText } from "../text/delivered_text.ts";
import { editMembers, memberText } from "../json/text.ts";
import { laterUsage } from "../chat/usage.ts";
import { NativeItems } from "./native_items.ts";
import { observedResponse } from "./observed.ts";
import { errorEvent, responseErrorOf, responseEvent, type ResponseRelay } from "./relay.ts";
import { metadataTextOf, ResourceWriter, type ResponseContext } from "./resource.ts";
import { correctedUsage, readResponseUsage, responseUsageOf } from "./usage.ts";

const OPENING: readonly string[] = ["response.created", "response.queued", "response.in_progress"];
const CLOSING: readonly string[] = ["response.completed", "response.incomplete"];
const FAILING: readonly string[] = ["response.failed", "error"];

/** Statuses with which an answer ends for the caller, whatever follows. */
const ENDED: readonly unknown[] = ["completed", "incomplete"];

/** Longest last event whose answer is checked, in UTF-16 code units: it is parsed again. */
const OBSERVED_CHARS_MAX = 256 * 1024;

/** Deltas that are no text. */
const MEDIA_DELTAS: readonly string[] = ["response.audio.delta"];

/** Members of the events that repeat a complete piece. */
const WHOLE_PIECES = ["text", "refusal", "arguments", "input", "code", "transcript"] as const;

/** Throws an {@linkcode UpstreamCut} when a native answer is malformed, or reports a failure. */
export function checkNativeAnswer({ value }: Pick<JsonBody, "value">): void {
  const { status, output } = value;
  if (status === "failed") throw failedUpstream();
  checkId(value);
  if (!ENDED.includes(status)) {
    throw new UpstreamCut("malformed", "The upstream sent an answer that has not ended");
  }
  if (!Array.isArray(output) || !output.every(isJsonObject)) {
    throw new UpstreamCut("malformed", "The upstream sent an answer without output");
  }
}

function checkId({ id }: Fields): void {
  if (typeof id === "string" && id !== "") return;
  throw new UpstreamCut("malformed", "The upstream sent an answer without an id");
}

/** Returns the resource's JSON text for the caller. */
export function nativeResponseText(
  body: JsonBody,
  context: ResponseContext,
  end: AnswerEnd,
): string {
  return withService(body.text, context, {
    metadata: end.metadata,
    usage: correctedUsage(body.value["usage"], end.usage),
  });
}

/** True for a web search, and not for opening a page that it returned. */
export function isWebSearch(item: unknown): boolean {
  const { type, action } = Object(item);
  return type === "web_search_call" && (Object(action).type ?? "search") === "search";
}

/** Returns everything that a model wrote in an answer, in pieces. */
export function nativeDelivered({ value }: Pick<JsonBody, "value">): string[] {
  const pieces: string[] = [];
  for (const item of fieldList(value["output"])) collectStrings(item, pieces);
  return pieces;
}

/** Relays one streamed response of a native upstream. */
export class NativeResponseRelay implements ResponseRelay {
  usage: Usage | undefined;
  /** Signatures are in separate items here. */
  readonly toolCalls = [];
  /** Number of web searches that the upstream has run. */
  searches = 0;
  resource: string | undefined;
  readonly #context: ResponseContext;
  readonly #deltas: DeliveredText;
  /** Text of completed items: some upstreams send no deltas, or not of everything. */
  readonly #items: DeliveredText;
  /** Complete pieces of items that are not complete yet. */
  #pending: DeliveredText;
  readonly #maxTokens: number | undefined;
  /** Items of the answer, for an end that the service writes. */
  readonly #output = new NativeItems();
  /** The last event with the whole response, before its end. */
  #opening: string | undefined;
  #id: string | undefined;
  #sequence = 0;
  #closing: Closing | undefined;
  #hasLeft = false;

  /** `maxTokens`: see {@linkcode DeliveredText}. */
  constructor(context: ResponseContext, maxTokens?: number) {
    this.#context = context;
    this.#deltas = new DeliveredText(maxTokens);
    this.#items = new DeliveredText(maxTokens);
    this.#pending = new DeliveredText(maxTokens);
    this.#maxTokens = maxTokens;
  }

  get finished(): boolean {
    return this.#closing !== undefined;
  }

  get delivered(): readonly string[] {
    const items = [...this.#items.pieces(), ...this.#pending.pieces()];
    const readings = [this.#deltas.pieces(), items, this.#closing?.written() ?? []];
    return readings.reduce((most, pieces) => charsOf(pieces) > charsOf(most) ? pieces : most);
  }

  get deliveredChars(): number {
    return Math.max(this.#deltas.length, this.#items.length + this.#pending.length);
  }

  get usedUpBy(): number | undefined {
    return this.#deltas.usedUpBy ?? this.#items.usedUpBy ?? this.#pending.usedUpBy;
  }

  callerDisconnected(): void {
    this.#hasLeft = true;
    for (const text of [this.#deltas, this.#items, this.#pending]) text.end();
  }

  accept(text: string): string {
    // A response completes once: the content at that moment is billed and passed on.
    if (this.#closing !== undefined) return "";
    const event = parsed(text);
    const { type, response } = event;
    // A name with a line break would begin another, unchecked event.
    if (typeof type !== "string" || /[\r\n]/.test(type)) {
      throw new UpstreamCut("malformed", "The upstream sent an event without a type");
    }
    if (FAILING.includes(type)) {
      if (isJsonObject(response)) this.#noteResponse(response);
      throw failedUpstream();
    }
    const number = event["sequence_number"];
    if (typeof number === "number") this.#sequence = number + 1;
    if (type === "response.output_item.done") this.#noteItem(event["item"]);
    if (CLOSING.includes(type) || OPENING.includes(type)) {
      if (!isJsonObject(response)) {
        throw new UpstreamCut("malformed", `The upstream sent "${type}" without a response`);
      }
      return this.#follow({ type, text, response });
    }
    if (!this.#hasLeft) this.#output.note(type, event, text);
    this.#notePieces(type, event);
    return responseEvent(type, text);
  }

  observed(): ObservedAnswer | undefined {
    const { text = "" } = this.#closing ?? {};
    if (text === "" || text.length > OBSERVED_CHARS_MAX) return undefined;
    return observedResponse(Object(parsed(text)["response"]));
  }

  limitReached(): void {
    const owed = this.#output.end().map(([type, fields]) => this.#event(type, fields)).join("");
    const response = editMembers(
      this.#opening ?? new ResourceWriter(this.#context).text({
        id: this.#id,
        status: "incomplete",
        usage: null,
        metadata: this.#context.opening,
        output: [],
      }),
      {
        status: '"incomplete"',
        incomplete_details: '{"reason":"max_output_tokens"}',
        output: `[${this.#output.texts().join(",")}]`,
      },
    );
    const type = "response.incomplete";
    const text = `{"type":"${type}","sequence_number":${this.#sequence++},"response":${response}}`;
    this.#closing = { type, text, owed, written: () => [], reported: undefined };
  }

  upstreamEnded(): void {
    if (this.#closing === undefined) {
      throw new UpstreamCut("cut", "The upstream ended before its response was complete");
    }
  }

  *completed(end: AnswerEnd): Iterable<string> {
    this.upstreamEnded();
    if (this.#closing === undefined) return;
    const { type, text, reported, owed } = this.#closing;
    if (owed !== undefined) yield owed;
    const edited = editResponse(text, this.#context, {
      metadata: end.metadata,
      usage: correctedUsage(reported, end.usage),
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

  /** Takes an event with the whole response: the last one is held back for the bill. */
  #follow({ type, text, response }: ResponseEvent): string {
    this.#noteResponse(response);
    if (!CLOSING.includes(type)) {
      checkId(response);
      this.#opening = memberText(text, "response");
      const opening = { metadata: this.#context.opening };
      return responseEvent(type, editResponse(text, this.#context, opening));
    }
    checkNativeAnswer({ value: response });
    const searches = fieldList(response["output"]).filter(isWebSearch).length;
    this.searches = Math.max(this.searches, searches);
    const isDelivered = !this.#hasLeft;
    const written = () =>
      isDelivered ? nativeDelivered({ value: Object(parsed(text)["response"]) }) : [];
    this.#closing = { type, text, written, reported: response["usage"] };
    return "";
  }

  #notePieces(type: string, event: Fields): void {
    const name = MEDIA_DELTAS.includes(type) ? "data" : "delta";
    collectStrings(event["delta"], this.#deltas, { name });
    collectStrings(event["partial_image_b64"], this.#deltas, { name: "partial_image_b64" });
    if (!type.endsWith(".done")) return;
    for (const member of WHOLE_PIECES) collectStrings(event[member], this.#pending);
  }

  #event(type: string, fields: Fields): string {
    const event = { type, sequence_number: this.#sequence++, ...fields };
    return responseEvent(type, JSON.stringify(event));
  }

  #noteItem(item: unknown): void {
    if (isWebSearch(item)) this.searches += 1;
    for (const piece of nativeDelivered({ value: { output: [item] } })) this.#items.push(piece);
    this.#pending = new DeliveredText(this.#maxTokens);
    if (this.#hasLeft) this.#pending.end();
  }

  #noteResponse({ id, usage }: Fields): void {
    if (typeof id === "string") this.#id = id;
    this.usage = laterUsage(this.usage, readResponseUsage(usage));
  }
}

/** An event with the whole response. */
interface ResponseEvent {
  readonly type: string;
  /** The original text of the event. */
  readonly text: string;
  readonly response: Fields;
}

/** The last event, until the cost of the call is known. */
interface Closing extends Omit<ResponseEvent, "response"> {
  /** Parsed on demand: reported usage needs no count. */
  readonly written: () => readonly string[];
  /** Reported usage. */
  readonly reported: unknown;
  /** Events before it, where the service ended the answer. */
  readonly owed?: string | undefined;
}

/** Fields that the service writes into a native resource. */
interface ServiceFields {
  readonly metadata: ResponseContext["opening"];
  /** @default {as the upstream wrote it} */
  readonly usage?: ResponseUsage | undefined;
}

function editResponse(event: string, context: ResponseContext, fields: ServiceFields): string {
  const response = memberText(event, "response") ?? "{}";
  return editMembers(event, { response: withService(response, context, fields) });
}

function withService(resource: string, context: ResponseContext, fields: ServiceFields): string {
  const { usage, metadata } = fields;
  const { previous_response_id: previousId } = context.request;
  return editMembers(resource, {
    model: JSON.stringify(context.model),
    // The upstream may have received the items themselves.
    ...(typeof previousId === "string" ? { previous_response_id: JSON.stringify(previousId) } : {}),
    metadata: metadataTextOf(context, metadata),
    ...(usage === undefined ? {} : { usage: JSON.stringify(usage) }),
  });
}

function failedUpstream(): UpstreamCut {
  return new UpstreamCut("server_error", "The upstream reported that its response failed");
}

function fieldList(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject);
}

function charsOf(pieces: readonly string[]): number {
  return pieces.reduce((chars, piece) => chars + piece.length, 0);
}
