import type { ResponseItemStatus } from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { FindCitations, HostedCall, HostedOutcome } from "../hosted/relay.ts";
import type { ShownFindings } from "../hosted/search_item.ts";
import { type CharBudget, ITEM_CHARS } from "../text/char_budget.ts";
import type { PartKind } from "./output_text.ts";
import type { ResponseContext } from "./resource.ts";
import {
  type CallItem,
  type Emit,
  SearchCallItem,
  type StreamItem,
  TextItem,
} from "./stream_items.ts";

/** Options of {@linkcode ResponseOutput}. */
export interface ResponseOutputOptions {
  readonly context: Pick<ResponseContext, "newId">;
  readonly cite: FindCitations | undefined;
  /** Counts the characters of items and parts. */
  readonly budget: CharBudget;
}

/**
 * The output items of a streamed response and the events that begin and end them, numbered. Items come
 * in the order in which they begin, and at most one text is open.
 */
export class ResponseOutput {
  /** Items by output index. */
  readonly items: StreamItem[] = [];
  readonly #options: ResponseOutputOptions;
  #open: TextItem | undefined;
  /** Kind of the last part, until its item is closed. */
  #openKind: PartKind | undefined;
  #sequence = 0;

  constructor(options: ResponseOutputOptions) {
    this.#options = options;
  }

  /** True when an event was written. */
  get hasBegun(): boolean {
    return this.#sequence > 0;
  }

  /** The open message or reasoning. */
  get open(): TextItem | undefined {
    return this.#open;
  }

  /** Writes one event with the next number. */
  readonly emit: Emit = (type, fields) =>
    `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.nextNumber()},${fields}}\n\n`;

  /** Returns the number of the next event. */
  nextNumber(): number {
    return this.#sequence++;
  }

  /** Counts a part of a kind, unless it continues the one before. */
  countPart(kind: PartKind): void {
    if (kind !== this.#openKind) this.#options.budget.add(ITEM_CHARS);
    this.#openKind = kind;
  }

  /** Begins a message or reasoning; returns its events and those that close the one before. */
  beginText(type: TextItem["type"]): string {
    const events = [...this.closeText("completed")].join("");
    const { context, cite } = this.#options;
    const id = context.newId(type === "message" ? "msg" : "rs");
    this.#open = new TextItem(type, { id, outputIndex: this.items.length }, cite);
    this.items.push(this.#open);
    return events + this.#open.added(this.emit);
  }

  /** Yields the events that close the open text. */
  *closeText(status: ResponseItemStatus): Iterable<string> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = this.#openKind = undefined;
    yield* open.done(this.emit, status);
  }

  /** Begins a tool call; returns its events and those that close the text before. */
  beginCall(call: CallItem): string {
    const events = [...this.closeText("completed")].join("");
    const { newId } = this.#options.context;
    const id = newId("fc");
    const callId = call.callId === "" ? newId("call") : call.callId;
    return events + call.begin(this.emit, { id, callId }, this.items.push(call) - 1);
  }

  /** Begins a search; returns its events and those that close the text before. */
  beginSearch(call: HostedCall, shown: ShownFindings): string {
    const item = new SearchCallItem(call, this.items.length, shown);
    const events = [...this.closeText("completed")].join("");
    this.items.push(item);
    return events + item.begin(this.emit);
  }

  /** Ends a search; returns its events. */
  endSearch({ id }: HostedCall, outcome: HostedOutcome): string {
    const item = this.items.filter((item) => item instanceof SearchCallItem)
      .findLast((item) => item.id === id);
    invariant(item?.ended === false, `Cannot end search "${id}": it is not in progress`);
    return item.end(this.emit, outcome);
  }

  /** Yields the events that end all open items; only the last one can be incomplete. */
  *end(ending: "completed" | "incomplete"): Iterable<string> {
    for (const [at, item] of this.items.entries()) {
      const status = at === this.items.length - 1 ? ending : "completed";
      if (!item.ended) yield* item.done(this.emit, status);
    }
  }
}
