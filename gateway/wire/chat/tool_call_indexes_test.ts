import { assertEquals } from "@std/assert";
import type { ToolCallDelta } from "@svc/sdk/protocol";
import fc from "fast-check";
import { ToolCallIndexes } from "./tool_call_indexes.ts";

type Delta = Partial<ToolCallDelta>;

/** Pieces that an upstream sends, and the calls that they belong to. */
interface Sent {
  readonly deltas: readonly (readonly Delta[])[];
  readonly inputs: readonly string[];
}

/** Names and inputs of the calls, put together as the indexes say. */
function gathered(deltas: Sent["deltas"]): { names: string[]; inputs: string[] } {
  const indexes = new ToolCallIndexes();
  const names: string[] = [];
  const inputs: string[] = [];
  for (const delta of deltas) {
    for (const [at, place] of indexes.of(delta).entries()) {
      names[place] ??= String(delta[at]?.function?.name ?? "");
      inputs[place] = (inputs[place] ?? "") + (delta[at]?.function?.arguments ?? "");
    }
  }
  return { names, inputs };
}

function call(name: string, input: string, labels: Partial<ToolCallDelta> = {}): Delta {
  return { ...labels, type: "function", function: { name, arguments: input } };
}

function more(input: string, labels: Partial<ToolCallDelta> = {}): Delta {
  return { ...labels, function: { arguments: input } };
}

const CASES: Readonly<Record<string, Sent["deltas"]>> = {
  "no index and no id, in one delta": [[call("f", '{"a":1}'), call("f", '{"a":2}')]],
  "no index and an empty id, in one delta": [
    [call("f", '{"a":1}', { id: "" }), call("f", '{"a":2}', { id: "" })],
  ],
  "equal ids, in one delta": [
    [call("f", '{"a":1}', { id: "c" }), call("f", '{"a":2}', { id: "c" })],
  ],
  "index 0 for all, in one delta": [
    [call("f", '{"a":1}', { index: 0 }), call("f", '{"a":2}', { index: 0 })],
  ],
  "index 0 for all, ids, in one delta": [
    [call("f", '{"a":1}', { index: 0, id: "a" }), call("f", '{"a":2}', { index: 0, id: "b" })],
  ],
  "no index and no id, whole, one after the other": [
    [call("f", '{"a":1}')],
    [call("f", '{"a":2}')],
  ],
  "index 0 for all, whole, one after the other": [
    [call("f", '{"a":1}', { index: 0 })],
    [call("f", '{"a":2}', { index: 0 })],
  ],
  "equal ids, whole, one after the other": [
    [call("f", '{"a":1}', { id: "c" })],
    [call("f", '{"a":2}', { id: "c" })],
  ],
  "equal ids under indexes of their own, in turns": [
    [call("f", "", { index: 0, id: "c" })],
    [call("f", "", { index: 1, id: "c" })],
    [more('{"a":', { index: 0, id: "c" }), more('{"a":', { index: 1, id: "c" })],
    [more("1}", { index: 0 }), more("2}", { index: 1 })],
  ],
  "no index and no id, in pieces": [
    [call("f", "")],
    [more('{"a"')],
    [more(":1}")],
    [call("f", "")],
    [more('{"a":2}')],
  ],
  "index 0 for all, in pieces": [
    [call("f", "", { index: 0 })],
    [more('{"a":1}', { index: 0 })],
    [call("f", "", { index: 0 })],
    [more('{"a":2}', { index: 0 })],
  ],
  "no index and no id, in pieces side by side": [
    [call("f", "{"), call("f", "{")],
    [more('"a":1'), more('"a":2')],
    [more("}"), more("}")],
  ],
  "two pieces of one call in one delta": [
    [call("f", "{", { index: 0, id: "a" }), more('"a":1}', { index: 0 })],
    [call("f", "{", { index: 1, id: "b" }), more('"a":2}', { id: "b" })],
  ],
  "id and name again with every piece": [
    [call("f", '{"a"', { index: 0, id: "a" })],
    [call("f", ":1}", { index: 0, id: "a" })],
    [call("f", "", { index: 0, id: "a" })],
    [call("f", '{"a":2}', { index: 1, id: "b" })],
  ],
  "a name that follows its id, braces and quotes in strings": [
    [{ index: 0, id: "a" }],
    [{ index: 0, function: { name: "f" } }],
    [more('{"a":1}', { index: 0 }), call("f", '{"a":2}', { index: 1 })],
  ],
};

for (const [name, deltas] of Object.entries(CASES)) {
  Deno.test(`two calls stay two: ${name}`, () => {
    assertEquals(gathered(deltas).inputs, ['{"a":1}', '{"a":2}']);
  });
}

Deno.test("a name that comes in pieces is one name, and a late signature is its call's", () => {
  const indexes = new ToolCallIndexes();
  const places = [
    [{ index: 0, id: "a", function: { name: "get_" } }],
    [{ index: 0, function: { name: "weather" } }],
    [more('{"a":"}{\\""}', { index: 0 })],
    [{ extra_content: { google: {} } }],
    [{ extra_content: {} }, call("f", "{}")],
    [],
  ].map((delta) => indexes.of(delta));
  assertEquals(places, [[0], [0], [0], [0], [0, 1], []]);
});

Deno.test("nonsensical indexes are still distinguished, and nothing throws", () => {
  const odd = fc.record({
    index: fc.option(fc.oneof(fc.integer(), fc.double(), fc.string())),
    id: fc.option(fc.oneof(fc.string(), fc.integer())),
    function: fc.option(fc.record({
      name: fc.option(fc.oneof(fc.string(), fc.integer())),
      arguments: fc.option(fc.oneof(fc.json(), fc.string(), fc.integer())),
    })),
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.array(fc.array(odd)), (deltas) => {
    const indexes = new ToolCallIndexes();
    let count = 0;
    for (const delta of deltas) {
      for (const place of indexes.of(delta as unknown as Delta[])) {
        // Without gaps, in order of their first pieces.
        if (place > count || !Number.isInteger(place)) throw new RangeError(`${place}`);
        count = Math.max(count, place + 1);
      }
    }
  }));
});

/** Labels of calls: `of` returns those of the first piece, `more` those of later ones. */
interface Labels {
  readonly first: (at: number) => Partial<ToolCallDelta>;
  readonly later: (at: number) => Partial<ToolCallDelta>;
  /** True when pieces of several calls may alternate. */
  readonly mayAlternate: boolean;
}

const LABELS: Readonly<Record<string, Labels>> = {
  "as OpenAI": {
    first: (at) => ({ index: at, id: `call_${at}` }),
    later: (at) => ({ index: at }),
    mayAlternate: true,
  },
  "with indexes alone": {
    first: (at) => ({ index: at }),
    later: (at) => ({ index: at }),
    mayAlternate: true,
  },
  "with ids alone": {
    first: (at) => ({ id: `call_${at}` }),
    later: (at) => ({ id: `call_${at}` }),
    mayAlternate: true,
  },
  "with equal ids": {
    first: (at) => ({ index: at, id: "call" }),
    later: (at) => ({ index: at }),
    mayAlternate: true,
  },
  "with ids and index 0": {
    first: (at) => ({ index: 0, id: `call_${at}` }),
    later: () => ({ index: 0 }),
    mayAlternate: false,
  },
  "with index 0": {
    first: () => ({ index: 0 }),
    later: () => ({ index: 0 }),
    mayAlternate: false,
  },
  "with one id": {
    first: () => ({ id: "call" }),
    later: () => ({ id: "call" }),
    mayAlternate: false,
  },
  "with nothing": { first: () => ({}), later: () => ({}), mayAlternate: false },
};

const inputs = fc.array(
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  { minLength: 1, maxLength: 5 },
);

for (const [name, { first, later, mayAlternate }] of Object.entries(LABELS)) {
  Deno.test(`calls come together as they were cut, labelled ${name}`, () => {
    fc.assert(fc.property(inputs, fc.integer({ min: 1, max: 7 }), (inputs, size) => {
      const calls: Delta[][] = inputs.map((input, at) => [
        call(`f${at}`, "", first(at)),
        ...(input.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []).map((piece) =>
          more(piece, later(at))
        ),
      ]);
      const sent = { names: calls.map((_call, at) => `f${at}`), inputs };
      assertEquals(gathered(calls.flat().map((delta) => [delta])), sent);
      if (!mayAlternate) return;
      const longest = Math.max(...calls.map((pieces) => pieces.length));
      const rounds = Array.from(
        { length: longest },
        (_, round) => calls.flatMap((pieces) => pieces.slice(round, round + 1)),
      );
      assertEquals(gathered(rounds), sent);
      assertEquals(gathered(rounds.flat().map((delta) => [delta])), sent);
    }));
  });

  Deno.test(`whole calls of one delta stay apart, labelled ${name}`, () => {
    fc.assert(fc.property(inputs, (inputs) => {
      const delta = inputs.map((input, at) => call(`f${at}`, input, first(at)));
      assertEquals(gathered([delta]).inputs, inputs);
      assertEquals(gathered(delta.map((one) => [one])).inputs, inputs);
    }));
  });
}
