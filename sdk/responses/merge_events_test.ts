import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { EventDeltas, textOf } from "./event_deltas.ts";
import { isReply } from "../run/tasks.ts";
import { EventMerger } from "./merge_events.ts";
import {
  call,
  ending,
  type Fields,
  itemEvents,
  numbered,
  opening,
  resource,
} from "./script_test.ts";
import type { ResponseEvent } from "./shapes.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const id = fc.uuid();
const opaque = fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 });
const part = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("output_text"), text, extra: opaque }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("refusal"), refusal: text }) },
);
const item: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({ type: fc.constant("message"), id, content: fc.array(part, { maxLength: 3 }) }),
  fc.record({
    ...{ type: fc.constant("function_call"), id, call_id: id, name: text, arguments: text },
    ...{ extra_content: opaque, thought_signature: text },
  }),
  fc.record({
    ...{ type: fc.constant("reasoning"), id, encrypted_content: text },
    summary: fc.array(fc.record({ type: fc.constant("summary_text"), text }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant("web_search_call"), id, action: opaque }),
  fc.record({ type: fc.constant("unheard_of"), id, more: opaque }),
);

/** Events beside the reply: tasks that prepare it, and events of unknown types. */
const aside: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({ type: fc.constant("svc:task"), delta: text }),
  fc.record({ type: fc.constant("response.unheard_of"), delta: text }),
  fc.record({
    type: fc.constantFrom(
      ...["response.output_text.delta", "response.output_item.done", "response.completed"],
    ),
    ...{ delta: text, item, response: fc.constant(resource([])), output_index: fc.nat(2) },
    orchestration: fc.record({ task_id: fc.constantFrom("plan", "task_1") }),
  }),
);

/** A response with its legal events and events beside them. */
const member = fc.record({
  output: fc.uniqueArray(item, { maxLength: 5, selector: (item) => item["id"] }),
  asides: fc.array(aside, { maxLength: 5 }),
  status: fc.constantFrom("completed", "incomplete"),
  /** Positions at which texts are cut. */
  sizes: fc.array(fc.nat(5), { minLength: 1, maxLength: 5 }),
  /** Which list goes on next. */
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
});

/** A text in pieces of such sizes, the rest in one. */
function cut(whole: string, sizes: readonly number[]): string[] {
  let from = 0;
  const pieces = sizes.map((size) => whole.slice(from, from += size));
  return [...pieces, whole.slice(from)];
}

/** One of each list after the other, as the picks have it; each list keeps its order. */
function interleaved(lists: readonly Fields[][], picks: readonly number[]): Fields[] {
  const remaining = lists.map((list) => [...list]);
  const events: Fields[] = [];
  for (let at = 0; remaining.some((list) => list.length > 0); at++) {
    const open = remaining.filter((list) => list.length > 0);
    const next = open[(picks[at % picks.length] ?? 0) % open.length]?.shift();
    if (next !== undefined) events.push(next);
  }
  return events;
}

/** Merges events into a resource, and collects the loop's pieces. */
function follow(events: readonly Fields[]) {
  const merger = new EventMerger();
  const deltas = new EventDeltas();
  const calls: string[] = [];
  let text = "";
  for (const fields of events) {
    const event: ResponseEvent = JSON.parse(JSON.stringify(fields));
    merger.add(event);
    if (!isReply(event)) continue;
    for (const piece of deltas.of(event)) {
      if (piece.type === "text_delta") text += piece.text;
      if (piece.type === "tool_call_delta") {
        calls[piece.index] = (calls[piece.index] ?? "") + piece.arguments;
      }
    }
  }
  return { merged: merger.resource(), calls, text };
}

for (const isLeftOut of [false, true]) {
  const how = isLeftOut ? "that leaves its output out" : "that has its output";
  Deno.test(`any legal events come to the resource of a last event ${how}`, () => {
    fc.assert(fc.property(member, ({ output, asides, status, sizes, picks }) => {
      const whole = resource(output, { status, usage: null });
      const lists = output.map((item, at) => itemEvents(item, at, (text) => cut(text, sizes)));
      const between = interleaved([...lists, asides], picks);
      const last = ending(isLeftOut ? { ...whole, output: [] } : whole);
      const { merged, calls, text } = follow(numbered([...opening(whole), ...between, last]));
      assertEquals<unknown>(merged, JSON.parse(JSON.stringify(whole)));
      // Where texts of several messages alternate, their pieces do as well.
      const sorted = (text: string) => text.split("").sort().join("");
      assertEquals(sorted(text), sorted(textOf(merged?.output ?? [])));
      const functionCalls = output.filter(({ type }) => type === "function_call");
      assertEquals(
        calls.toSorted(),
        functionCalls.map((call) => String(call["arguments"])).toSorted(),
      );
    }));
  });

  Deno.test(`items in sequence give the text in order, last event ${how}`, () => {
    fc.assert(fc.property(member, ({ output, sizes }) => {
      const lists = output.map((item, at) => itemEvents(item, at, (text) => cut(text, sizes)));
      const whole = resource(isLeftOut ? [] : output);
      const { merged, text } = follow([...opening(whole), ...lists.flat(), ending(whole)]);
      assertEquals(text, textOf(merged?.output ?? []));
    }));
  });
}

Deno.test("the resource is missing before the last event", () => {
  const whole = resource([]);
  for (const events of [[], opening(whole), [{ type: "response.completed" }]]) {
    assertEquals(follow(events).merged, undefined);
  }
});

Deno.test("events that lack what they are for tell nothing", () => {
  const types = ["output_item.added", "output_item.done", "output_text.delta", "unheard_of"];
  const calls = ["output_item.added", "function_call_arguments.delta"];
  const item = call("double", { arguments: undefined });
  const events = [
    ...types.map((type) => ({ type: `response.${type}` })),
    ...calls.map((type) => ({ type: `response.${type}`, item })),
  ];
  const { merged, calls: texts, text } = follow([...events, ending(resource([]))]);
  assertEquals([merged?.output, texts, text], [[], [""], ""]);
});

Deno.test("items without an index keep their order of arrival, without duplicates", () => {
  const done = (item: Fields) => ({ type: "response.output_item.done", item });
  const items = [{ type: "message", id: "b" }, { type: "message", id: "a" }];
  const whole = resource([]);
  const { merged } = follow([...items.map(done), ending(whole)]);
  assertEquals<unknown>(merged?.output, items);

  // Some upstreams number every item 0; some say the same item twice.
  const placed = (item: Fields) => ({ ...done(item), output_index: 0 });
  const again = { type: "message", id: "a", status: "completed" };
  const twice = follow([...items.map(placed), placed(again), ending(whole)]);
  assertEquals<unknown>(twice.merged?.output, [items[0], again]);
});
