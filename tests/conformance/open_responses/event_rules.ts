/**
 * Rules between the events of a streamed response of any upstream: one id, numbers without a gap,
 * an end for every start, deltas that add up to the final text, and a last resource equal to the
 * events before it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Dialect, ResponseResource } from "@svc/sdk/protocol";
import { responseEventSchema } from "../../../gateway/http/schemas/responses_events.ts";

type Fields = Record<string, unknown>;

/** An event as it came. */
export type WireEvent = Fields & {
  readonly type: string;
  readonly response?: ResponseResource;
  readonly item?: Fields;
  readonly part?: Fields;
};

/** Last event of a stream. */
export type Closing = "response.completed" | "response.incomplete" | "response.failed";

/**
 * Reads a stream's events; each is named on its `event:` line. A clean end is marked by `[DONE]`, but
 * not in the dialect `openai`; a failure never is.
 */
export async function readResponseEvents(
  response: Response,
  dialect: Dialect = "service",
): Promise<WireEvent[]> {
  assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const text = await response.text();
  assert(text.endsWith("\n\n"), "The stream ends within an event");
  const frames = text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"));
  const isDone = frames.at(-1) === "data: [DONE]" && frames.pop() !== undefined;
  const isClean = /^event: response\.(completed|incomplete)\n/.test(frames.at(-1) ?? "");
  assertEquals(isDone, isClean && dialect === "service", "[DONE]");
  return frames.map((frame) => {
    const [name = "", ...data] = frame.split("\n");
    const json = data.map((line) => {
      assert(line.startsWith("data: "), `Expected data, got ${line}`);
      return line.slice(6);
    });
    const event = JSON.parse(json.join("\n"));
    assertEquals(name, `event: ${event.type}`);
    return event;
  });
}

/** Checks a stream that ended as it should, and gives its resource. */
export function assertEventRules(
  events: readonly WireEvent[],
  closing: Closing = "response.completed",
): ResponseResource {
  for (const event of events) {
    const { error } = responseEventSchema.safeParse(event);
    assert(error === undefined, `${error?.message} in ${JSON.stringify(event)}`);
  }
  assertEquals(events.map((event) => event["sequence_number"]), events.map((_, at) => at));
  assertEquals(events.slice(0, 2).map(({ type }) => type), [
    "response.created",
    "response.in_progress",
  ]);
  const ends = events.filter(({ type }) =>
    ["response.completed", "response.incomplete", "response.failed"].includes(type)
  );
  assertEquals(ends.map(({ type }) => type), [closing]);
  const after = closing === "response.failed" ? ["error"] : [];
  const [end] = ends;
  assert(end !== undefined);
  assertEquals(events.slice(events.indexOf(end) + 1).map(({ type }) => type), after);
  const resource = end.response;
  assert(resource !== undefined);
  const ids = new Set(events.flatMap(({ response }) => response?.id ?? []));
  assertEquals([...ids], [resource.id]);
  if (closing !== "response.failed") {
    const output: unknown = resource.output;
    assertEquals(assembled(events), output);
  }
  return resource;
}

/** One item while it comes. */
interface OpenItem {
  readonly added: Fields;
  /** By the name of the list and the index in it. */
  readonly parts: Map<string, OpenPart>;
  readonly fields: Map<string, string>;
  done?: Fields;
}

interface OpenPart {
  text: string;
  annotations: unknown[];
  final?: unknown;
  done?: Fields;
}

/** The output as the events between the first and the last tell it. */
function assembled(events: readonly WireEvent[]): unknown {
  const items: OpenItem[] = [];
  for (const event of events) follow(event, items);
  return items.map(({ done, parts }) => {
    assert(done !== undefined, "An item was never done");
    for (const part of parts.values()) assert(part.done !== undefined, "A part was never done");
    return done;
  });
}

function follow(event: WireEvent, items: OpenItem[]): void {
  const { type, output_index: index } = event;
  if (type === "response.output_item.added") {
    assertEquals(index, items.length, "Output indexes have a gap");
    const { item: added = {} } = event;
    assertEquals(added["status"], "in_progress");
    items.push({ added, parts: new Map(), fields: new Map() });
    return;
  }
  if (typeof index !== "number") return;
  const item = items[index];
  assert(item !== undefined && item.done === undefined, `${type} outside of its item`);
  if (type === "response.output_item.done") return closeItem(event.item ?? {}, item);
  assertEquals(event["item_id"], item.added["id"]);
  if (type.startsWith("response.function_call_arguments.")) return followInput(event, item);
  // A search of the service itself has no parts.
  if (/^response\.(?:web|file)_search_call\.\w+$/.test(type)) return;
  followPart(event, item);
}

function closeItem(done: Fields, item: OpenItem): void {
  item.done = done;
  for (const name of ["id", "type", "call_id", "name", "role"]) {
    assertEquals(done[name], item.added[name]);
  }
  const content = [...listOf(done["content"]), ...listOf(done["summary"])];
  assertEquals(content, [...item.parts.values()].map((part) => part.done));
  const input = item.fields.get("arguments");
  if (done["type"] === "function_call") assertEquals(done["arguments"], input ?? "");
}

function followInput(event: WireEvent, item: OpenItem): void {
  const sofar = item.fields.get("arguments") ?? "";
  if (event.type.endsWith(".delta")) item.fields.set("arguments", sofar + event["delta"]);
  else assertEquals([event["arguments"], event["name"]], [sofar, item.added["name"]]);
}

function followPart(event: WireEvent, item: OpenItem): void {
  const { type } = event;
  const list = event["summary_index"] === undefined ? "content" : "summary";
  const index = event["summary_index"] ?? event["content_index"];
  const key = `${list} ${index}`;
  if (type.endsWith("part.added")) {
    assertEquals(index, item.parts.size, "Part indexes have a gap");
    item.parts.set(key, { text: "", annotations: [] });
    return;
  }
  const part = item.parts.get(key);
  assert(part !== undefined && part.done === undefined, `${type} outside of its part`);
  if (type.endsWith("annotation.added")) {
    assertEquals(event["annotation_index"], part.annotations.length);
    part.annotations.push(event["annotation"]);
  } else if (type.endsWith("part.done")) {
    part.done = event.part ?? {};
    assertEquals(part.done["text"] ?? part.done["refusal"], part.final);
    if (part.done["annotations"] !== undefined) {
      assertEquals(part.done["annotations"], part.annotations);
    }
  } else if (type.endsWith(".delta")) part.text += event["delta"];
  else {
    part.final = event["text"] ?? event["refusal"];
    assertEquals(part.text, part.final);
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
