/**
 * The items of a native upstream's answer while they arrive, to end them where the service ends the
 * answer.
 *
 * @module
 */

import { parsed } from "../chat/chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import { memberText } from "../json/text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An event of the service: its type, and its other fields. */
export type ItemEvent = readonly [type: string, fields: Fields];

/** Location of the text that the deltas of a type extend. */
interface DeltaLocation {
  /** List of the item's parts, where it has parts. */
  readonly list?: "content" | "summary";
  /** Member of the item or the part, and of the event that ends it. */
  readonly field: string;
}

const DELTAS: Readonly<Record<string, DeltaLocation>> = {
  "response.output_text": { list: "content", field: "text" },
  "response.refusal": { list: "content", field: "refusal" },
  "response.reasoning_text": { list: "content", field: "text" },
  "response.reasoning_summary_text": { list: "summary", field: "text" },
  "response.function_call_arguments": { field: "arguments" },
  "response.mcp_call_arguments": { field: "arguments" },
  "response.custom_tool_call_input": { field: "input" },
  "response.code_interpreter_call_code": { field: "code" },
};

/** Names of the events that end a part of a list, and of its index. */
const PARTS = {
  content: { type: "response.content_part", index: "content_index" },
  summary: { type: "response.reasoning_summary_part", index: "summary_index" },
} as const;

/** A text that grows: of a part, or of the item itself. */
interface Growing extends DeltaLocation {
  readonly type: string;
  /** Index of the part. */
  readonly index: number;
  readonly text: CollectedText;
  /** True after the event that ends the text. */
  isDone: boolean;
  /** True after the event that ends its part. */
  isClosed: boolean;
}

interface Item {
  readonly id: unknown;
  /** JSON text of the item as it began, or as it ended. */
  text: string;
  isDone: boolean;
  readonly growing: Map<string, Growing>;
}

/** Tracks the items. Items without a beginning are left out. */
export class NativeItems {
  readonly #items = new Map<number, Item>();

  /** Takes an event of the upstream. */
  note(type: string, event: Fields, text: string): void {
    const index = event["output_index"];
    if (typeof index !== "number") return;
    const written = () => memberText(text, "item") ?? "{}";
    if (type === "response.output_item.added") {
      const { id } = Object(event["item"]);
      this.#items.set(index, { id, text: written(), isDone: false, growing: new Map() });
      return;
    }
    const item = this.#items.get(index);
    if (item === undefined || item.isDone) return;
    if (type === "response.output_item.done") {
      item.text = written();
      item.isDone = true;
      item.growing.clear();
    } else noteText(item, type, event);
  }

  /** Returns the events that end all open items. */
  end(): ItemEvent[] {
    return [...this.#items].flatMap(([index, item]) => item.isDone ? [] : endEvents(index, item));
  }

  /** Returns the JSON texts of the items, in order. */
  texts(): string[] {
    return [...this.#items].toSorted(([one], [other]) => one - other).map(([, { text }]) => text);
  }
}

/** Notes the end of a part. */
function notePart(item: Item, type: string, event: Fields): void {
  for (const growing of item.growing.values()) {
    if (growing.list === undefined) continue;
    const part = PARTS[growing.list];
    if (type === `${part.type}.done` && event[part.index] === growing.index) {
      growing.isClosed = true;
    }
  }
}

function noteText(item: Item, type: string, event: Fields): void {
  const base = type.replace(/\.(?:delta|done)$/, "");
  const place = DELTAS[base];
  if (place === undefined) return notePart(item, type, event);
  const at = place.list === undefined ? 0 : event[PARTS[place.list].index];
  const index = typeof at === "number" ? at : 0;
  const key = `${place.list} ${index} ${place.field}`;
  let growing = item.growing.get(key);
  if (growing === undefined) {
    const text = new CollectedText();
    growing = { ...place, type: base, index, text, isDone: false, isClosed: false };
    item.growing.set(key, growing);
  }
  const { delta } = event;
  if (type.endsWith(".done")) growing.isDone = true;
  else if (typeof delta === "string") growing.text.push(delta);
}

function endEvents(outputIndex: number, item: Item): ItemEvent[] {
  const value: Record<string, unknown> = { ...parsed(item.text), status: "incomplete" };
  const events: ItemEvent[] = [];
  for (const growing of item.growing.values()) {
    const { list, field, index, isDone, type } = growing;
    const text = growing.text.text();
    const place = { item_id: item.id, output_index: outputIndex };
    if (list === undefined) {
      value[field] = text;
      if (!isDone) events.push([`${type}.done`, { ...place, [field]: text }]);
      continue;
    }
    const part = partOf(growing, text);
    const parts = Array.isArray(value[list]) ? [...value[list]] : [];
    parts[index] = part;
    value[list] = parts.filter((one) => one !== undefined);
    const at = { ...place, [PARTS[list].index]: index };
    if (!isDone) events.push([`${type}.done`, { ...at, [field]: text, ...logprobsOf(part) }]);
    if (!growing.isClosed) events.push([`${PARTS[list].type}.done`, { ...at, part }]);
  }
  item.text = JSON.stringify(value);
  item.isDone = true;
  const last = { output_index: outputIndex, item: value };
  return [...events, ["response.output_item.done", last]];
}

function partOf({ type, field }: Growing, text: string): Fields {
  const kind = type.replace("response.", "").replace("reasoning_summary_text", "summary_text");
  const part = { type: kind, [field]: text };
  return kind === "output_text" ? { ...part, annotations: [], logprobs: [] } : part;
}

function logprobsOf({ type }: Fields): Fields {
  return type === "output_text" ? { logprobs: [] } : {};
}
