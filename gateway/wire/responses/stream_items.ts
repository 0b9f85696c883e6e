/**
 * The items of a streamed response while they arrive.
 *
 * @module
 */

import type { ResponseAnnotation, ResponseItemStatus, ResponseLogprob } from "@svc/sdk/protocol";
import { GrowingText } from "../text/growing_text.ts";
import type { FindCitations, HostedCall, HostedOutcome } from "../hosted/relay.ts";
import { OpaqueMembers } from "../chat/opaque_members.ts";
import { searchItem, type ShownFindings } from "../hosted/search_item.ts";
import {
  functionCallText,
  messageText,
  type PartKind,
  partText,
  reasoningText,
} from "./output_text.ts";

/** Writes one event with its number; `fields` are those beside its type and number. */
export type Emit = (type: string, fields: string) => string;

/** Names and index of the events of a kind of part. */
interface PartEvents {
  readonly part: string;
  readonly text: string;
  readonly indexName: string;
  readonly doneField: string;
}

const CONTENT_PART = { part: "response.content_part", indexName: "content_index" };

const PART_EVENTS: Readonly<Record<PartKind, PartEvents>> = {
  output_text: { ...CONTENT_PART, text: "response.output_text", doneField: "text" },
  refusal: { ...CONTENT_PART, text: "response.refusal", doneField: "refusal" },
  reasoning_text: { ...CONTENT_PART, text: "response.reasoning_text", doneField: "text" },
  summary_text: {
    part: "response.reasoning_summary_part",
    text: "response.reasoning_summary_text",
    indexName: "summary_index",
    doneField: "text",
  },
};

/** An item of the output. */
export interface StreamItem {
  /** True when the events that end it have been written. */
  readonly ended: boolean;
  /** Returns its delivered text in pieces. */
  pieces(): readonly string[];
  /** Returns its JSON text so far; `status` is that of an item that has not ended. */
  text(status: ResponseItemStatus): string;
  /** Yields the events that end it. */
  done(emit: Emit, status: ResponseItemStatus): Iterable<string>;
}

/** A piece of a text, with the probabilities of its tokens. */
export interface WrittenPiece {
  readonly piece: string;
  /** @default {not sent} */
  readonly logprobs?: readonly ResponseLogprob[] | undefined;
}

interface Part {
  readonly kind: PartKind;
  readonly text: GrowingText;
  readonly annotations: ResponseAnnotation[];
  readonly logprobs: ResponseLogprob[];
  /** The fields of its events that stay the same. */
  readonly place: string;
  readonly deltaType: string;
}

/** A message or reasoning: text in parts, of which the last may be open. */
export class TextItem implements StreamItem {
  readonly type: "message" | "reasoning";
  /** Opaque members. */
  readonly opaque = new OpaqueMembers();
  readonly #id: string;
  readonly #outputIndex: number;
  readonly #done: string[] = [];
  readonly #parts: Part[] = [];
  readonly #cite: FindCitations | undefined;
  #open: Part | undefined;
  #status: ResponseItemStatus | undefined;

  constructor(
    type: "message" | "reasoning",
    place: { readonly id: string; readonly outputIndex: number },
    cite?: FindCitations,
  ) {
    this.type = type;
    this.#id = place.id;
    this.#outputIndex = place.outputIndex;
    this.#cite = cite;
  }

  get ended(): boolean {
    return this.#status !== undefined;
  }

  /** Returns the event that begins it. */
  added(emit: Emit): string {
    return emit("response.output_item.added", this.#itemFields("in_progress"));
  }

  /** Adds text of a kind; the part of another kind before it is closed. */
  write(emit: Emit, kind: PartKind, { piece, logprobs = [] }: WrittenPiece): string {
    const events = this.#opened(emit, kind);
    const part = this.#open;
    if (part === undefined || piece === "") return events;
    const literal = part.text.push(piece);
    part.logprobs.push(...logprobs);
    const extra = kind === "output_text" ? `,"logprobs":${JSON.stringify(logprobs)}` : "";
    return events + emit(part.deltaType, `${part.place},"delta":${literal}${extra}`);
  }

  /** Adds a citation of the text so far. */
  cite(emit: Emit, annotation: ResponseAnnotation): string {
    const events = this.#opened(emit, "output_text");
    return this.#open === undefined ? events : events + annotated(emit, this.#open, annotation);
  }

  /** Returns the text of all parts of a kind. */
  textOf(kind: PartKind): string {
    return this.#parts.filter((part) => part.kind === kind).map((part) => part.text.text()).join(
      "",
    );
  }

  pieces(): readonly string[] {
    return this.#parts.map((part) => part.text.text());
  }

  text(status: ResponseItemStatus): string {
    const open = this.#open;
    const parts = open === undefined
      ? this.#done
      : [...this.#done, partText(open.kind, open.text.literal(), open)];
    const opaque = Object.fromEntries(this.opaque.texts());
    const fields = { id: this.#id, status: this.#status ?? status, opaque };
    if (this.type === "message") return messageText(fields, parts);
    return reasoningText(fields, this.#parts[0]?.kind ?? "reasoning_text", parts);
  }

  *done(emit: Emit, status: ResponseItemStatus): Iterable<string> {
    yield* this.#closed(emit);
    this.#status = status;
    yield emit("response.output_item.done", this.#itemFields(status));
  }

  #itemFields(status: ResponseItemStatus): string {
    return `"output_index":${this.#outputIndex},"item":${this.text(status)}`;
  }

  #opened(emit: Emit, kind: PartKind): string {
    if (this.#open?.kind === kind) return "";
    let events = "";
    for (const event of this.#closed(emit)) events += event;
    const { part, text, indexName } = PART_EVENTS[kind];
    const place = `"item_id":${JSON.stringify(this.#id)},"output_index":${this.#outputIndex},` +
      `"${indexName}":${this.#done.length}`;
    const deltaType = `${text}.delta`;
    const notes = { annotations: [], logprobs: [] };
    this.#open = { kind, text: new GrowingText(), ...notes, place, deltaType };
    this.#parts.push(this.#open);
    return events + emit(`${part}.added`, `${place},"part":${partText(kind, '""')}`);
  }

  *#closed(emit: Emit): Iterable<string> {
    const open = this.#open;
    if (open === undefined) return;
    const { part, text, doneField } = PART_EVENTS[open.kind];
    if (open.kind === "output_text") {
      for (const citation of this.#cite?.(open.text.text()) ?? []) {
        yield annotated(emit, open, citation);
      }
    }
    const literal = open.text.literal();
    const written = partText(open.kind, literal, open);
    this.#open = undefined;
    this.#done.push(written);
    const logprobs = JSON.stringify(open.logprobs);
    const extra = open.kind === "output_text" ? `,"logprobs":${logprobs}` : "";
    yield emit(`${text}.done`, `${open.place},"${doneField}":${literal}${extra}`);
    yield emit(`${part}.done`, `${open.place},"part":${written}`);
  }
}

function annotated(emit: Emit, part: Part, annotation: ResponseAnnotation): string {
  const index = part.annotations.push(annotation) - 1;
  const cited = `"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`;
  return emit("response.output_text.annotation.added", `${part.place},${cited}`);
}

/**
 * A tool call. It begins once its name is known and ends with the response, since late pieces are
 * common.
 */
export class CallItem implements StreamItem {
  /** Opaque members. */
  readonly opaque = new OpaqueMembers();
  readonly #input = new GrowingText();
  #id = "";
  #outputIndex = -1;
  #status: ResponseItemStatus | undefined;
  /** The call's own id, as the upstream sent it. */
  callId = "";
  /** Name of the function. */
  name = "";

  /** Its input so far. */
  get input(): string {
    return this.#input.text();
  }

  /** True when its first event has been written. */
  get hasBegun(): boolean {
    return this.#outputIndex >= 0;
  }

  get ended(): boolean {
    return this.#status !== undefined;
  }

  /** Returns the events that begin it, with the input so far. */
  begin(emit: Emit, ids: { id: string; callId: string }, outputIndex: number): string {
    this.#id = ids.id;
    this.callId = ids.callId;
    this.#outputIndex = outputIndex;
    const item = this.#text("in_progress", '""', false);
    const events = emit("response.output_item.added", this.#itemFields(item));
    const early = this.#input.text();
    return early === "" ? events : events + this.#delta(emit, JSON.stringify(early));
  }

  /** Adds input. */
  write(emit: Emit, piece: string): string {
    if (piece === "") return "";
    const literal = this.#input.push(piece);
    return this.hasBegun ? this.#delta(emit, literal) : "";
  }

  pieces(): readonly string[] {
    return [this.name, this.input];
  }

  text(status: ResponseItemStatus): string {
    return this.#text(this.#status ?? status, this.#input.literal(), true);
  }

  *done(emit: Emit, status: ResponseItemStatus): Iterable<string> {
    const literal = this.#input.literal();
    const ended = `${this.#place()},"name":${JSON.stringify(this.name)},"arguments":${literal}`;
    this.#status = status;
    yield emit("response.function_call_arguments.done", ended);
    yield emit("response.output_item.done", this.#itemFields(this.text(status)));
  }

  #delta(emit: Emit, literal: string): string {
    const fields = `${this.#place()},"delta":${literal}`;
    return emit("response.function_call_arguments.delta", fields);
  }

  #text(status: ResponseItemStatus, literal: string, isSigned: boolean): string {
    const opaque = isSigned ? Object.fromEntries(this.opaque.texts()) : undefined;
    const { callId, name } = this;
    return functionCallText({ id: this.#id, status, opaque }, { callId, name, literal });
  }

  #itemFields(item: string): string {
    return `"output_index":${this.#outputIndex},"item":${item}`;
  }

  #place(): string {
    return `"item_id":${JSON.stringify(this.#id)},"output_index":${this.#outputIndex}`;
  }
}

/** A search that the service runs. */
export class SearchCallItem implements StreamItem {
  readonly #call: HostedCall;
  readonly #outputIndex: number;
  readonly #shown: ShownFindings;
  #outcome: HostedOutcome | undefined;

  constructor(call: HostedCall, outputIndex: number, shown: ShownFindings) {
    this.#call = call;
    this.#outputIndex = outputIndex;
    this.#shown = shown;
  }

  /** The search's own id. */
  get id(): string {
    return this.#call.id;
  }

  get ended(): boolean {
    return this.#outcome !== undefined;
  }

  /** Returns the events that begin it. */
  begin(emit: Emit): string {
    const item = JSON.stringify(searchItem(this.#call, undefined, this.#shown));
    return emit("response.output_item.added", this.#itemFields(item)) +
      this.#progress(emit, "in_progress") + this.#progress(emit, "searching");
  }

  /** Returns the events that end it. */
  end(emit: Emit, outcome: HostedOutcome): string {
    this.#outcome = outcome;
    const completed = outcome.status === "completed" ? this.#progress(emit, "completed") : "";
    return completed + emit("response.output_item.done", this.#itemFields(this.text()));
  }

  /** None: a search is no text of the model's. */
  pieces(): readonly string[] {
    return [];
  }

  /** A search without an end has failed. */
  text(): string {
    const outcome = this.#outcome ?? { status: "failed" };
    return JSON.stringify(searchItem(this.#call, outcome, this.#shown));
  }

  *done(emit: Emit): Iterable<string> {
    yield this.end(emit, { status: "failed" });
  }

  #progress(emit: Emit, step: "in_progress" | "searching" | "completed"): string {
    const kind = this.#call.type === "file_search" ? "file_search_call" : "web_search_call";
    const place = `"output_index":${this.#outputIndex},"item_id":${JSON.stringify(this.id)}`;
    return emit(`response.${kind}.${step}`, place);
  }

  #itemFields(item: string): string {
    return `"output_index":${this.#outputIndex},"item":${item}`;
  }
}
