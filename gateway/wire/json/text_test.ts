import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvariantError } from "../../domain/invariant.ts";
import { atOnce, STEP_CHARS } from "../../domain/redaction/steps.ts";
import {
  editMembers,
  elements,
  elementTexts,
  exceededLimit,
  LEAP_CHARS,
  members,
  memberText,
  repeatsName,
  scanSteps,
} from "./text.ts";

const KEYS = ["a", "b", "c", "model", "n"];

/** White space as JSON has it, mostly none. */
const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 2 });

/** A key's JSON text, sometimes written with escapes. */
const keyText = fc.tuple(fc.constantFrom(...KEYS), fc.boolean()).map(([key, escaped]) =>
  escaped ? `"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}"` : `"${key}"`
);

/**
 * Any JSON text whose names have no backslash. V8 15.0 takes `"\\u0061"` for a name that begins with
 * a backslash once it has seen that name at that place: `JSON.parse` is no oracle for those.
 */
const anyJson = fc.json({
  stringUnit: fc.string({ minLength: 1, maxLength: 1 }).filter((unit) => unit !== "\\"),
});

/** A value's JSON text, with forms that a parse and a print would not bring back. */
const valueText = fc.oneof(
  fc.constantFrom("1.0", "-0", "1E5", "12345678901234567890", '"\\u0061\\/"', '"\\\\"', '"}\\""'),
  anyJson,
  anyJson.map((text) => JSON.stringify(JSON.parse(text), null, 2)),
);

/** An object's text, duplicates and odd white space included. */
const objectText = fc.tuple(
  space,
  fc.array(fc.tuple(space, keyText, space, space, valueText, space)),
)
  .map(([empty, list]) => {
    const body = list.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`);
    return `{${body.length === 0 ? empty : body.join(",")}}`;
  });

const edits = fc.dictionary(fc.constantFrom(...KEYS), fc.option(anyJson, { nil: undefined }));

Deno.test("editMembers() says what the edited value says", () => {
  fc.assert(fc.property(objectText, edits, (text, edit) => {
    const expected = JSON.parse(text);
    for (const [key, value] of Object.entries(edit)) {
      if (value === undefined) delete expected[key];
      else expected[key] = JSON.parse(value);
    }
    assertEquals(JSON.parse(editMembers(text, edit)), expected);
  }));
});

Deno.test("editMembers() leaves every other member's bytes alone, in order", () => {
  fc.assert(fc.property(objectText, edits, space, (text, edit, lead) => {
    const untouched = (of: string, start: number) =>
      members(of, start)
        .filter((member) => !(member.key in edit))
        .map((member) => of.slice(member.keyStart, member.valueEnd));
    const padded = `[1,${lead}${text}${lead}]`;
    const edited = editMembers(padded, edit, 3);
    assertEquals(untouched(edited, 3), untouched(padded, 3));
    assert(edited.startsWith("[1,") && edited.endsWith(`}${lead}]`));
  }));
});

Deno.test("editMembers() replaces all duplicates of a key", () => {
  assertEquals(
    editMembers('{"model":"x","a":1,"mod\\u0065l" : [2]}', { model: '"y"' }),
    '{"model":"y","a":1,"mod\\u0065l" : "y"}',
  );
});

Deno.test("editMembers() without edits returns the text", () => {
  fc.assert(fc.property(objectText, (text) => assertEquals(editMembers(text, {}), text)));
});

Deno.test("editMembers() keeps white space and commas in order when members go", () => {
  const text = '{ "a": 1, "b": 2, "c": 3 }';
  assertEquals(editMembers(text, { a: undefined }), '{ "b": 2, "c": 3 }');
  assertEquals(editMembers(text, { b: undefined }), '{ "a": 1, "c": 3 }');
  assertEquals(editMembers(text, { c: undefined, d: "4" }), '{ "a": 1, "b": 2,"d":4 }');
  assertEquals(editMembers(text, { a: undefined, b: undefined, c: undefined }), "{  }");
  assertEquals(editMembers(" {\n}", { 'q"': "0" }), ' {"q\\"":0\n}');
});

Deno.test("editMembers() takes keys that objects inherit", () => {
  assertEquals(editMembers('{"toString":1,"__proto__":2}', {}), '{"toString":1,"__proto__":2}');
});

Deno.test("members() and elements() find what JSON.parse finds", () => {
  fc.assert(fc.property(fc.array(objectText, { maxLength: 4 }), space, (list, gap) => {
    const text = `${gap}[${gap}${list.join(`${gap},${gap}`)}${gap}]${gap}`;
    const spans = elements(text);
    assertEquals(spans.map(({ start, end }) => text.slice(start, end)), list);
    for (const { start } of spans) {
      for (const { key, keyStart, valueStart, valueEnd } of members(text, start)) {
        const alone = JSON.parse(`{${text.slice(keyStart, valueEnd)}}`);
        assertEquals(alone, { [key]: JSON.parse(text.slice(valueStart, valueEnd)) });
      }
    }
  }));
});

Deno.test("members() and elements() refuse another kind of value as a bug", () => {
  assertThrows(() => members("[]"), InvariantError, "no object");
  assertThrows(() => elements(" {}"), InvariantError, "no array");
});

Deno.test("a text nested a million deep is one value and no recursion", () => {
  const deep = "[".repeat(1e6) + "]".repeat(1e6);
  assertEquals(members(`{"a":${deep},"b":1}`).map(({ key }) => key), ["a", "b"]);
  assertEquals(exceededLimit(deep, { maxDepth: 1_000 }), "maxDepth");
});

Deno.test("exceededLimit() counts the depth and the values of the parsed text", () => {
  const depthOf = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  };
  const valuesOf = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    const inner = Object.values(value).map(valuesOf);
    return inner.reduce((sum, count) => sum + count, inner.length === 0 ? 2 : 1);
  };
  fc.assert(fc.property(objectText, (text) => {
    // Duplicates hide values from the parse: an array of the members' values has them all.
    const all = members(text).map(({ valueStart, valueEnd }) => text.slice(valueStart, valueEnd));
    const joined = JSON.stringify(JSON.parse(`[${all.join(",")}]`));
    const maxDepth = depthOf(JSON.parse(joined));
    const maxValues = valuesOf(JSON.parse(joined));
    assertEquals(exceededLimit(joined, { maxDepth, maxValues }), undefined);
    assertEquals(exceededLimit(joined, { maxDepth: maxDepth - 1 }), "maxDepth");
    assertEquals(exceededLimit(joined, { maxDepth, maxValues: maxValues - 1 }), "maxValues");
  }));
});

Deno.test("exceededLimit() takes anything", () => {
  const answers = [undefined, "maxDepth", "maxValues"];
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",\\a: ') }), (text) => {
    assert(answers.includes(exceededLimit(text, { maxDepth: 2, maxValues: 3 })));
  }));
  const limits = { maxDepth: 1, maxValues: 1_000 };
  assertEquals(exceededLimit('"[[[[', limits), undefined);
  assertEquals(exceededLimit(`"${"\\".repeat(1e6)}`, limits), undefined);
  assertEquals(exceededLimit("", { maxDepth: 0 }), undefined);
  assertEquals(exceededLimit('"'.repeat(1e6), limits), "maxValues");
});

Deno.test("exceededLimit() reads no further than the limit", () => {
  // The end of the text would be too deep: it is not reached.
  const text = `[${"1,".repeat(16 * 1024 * 1024)}${"[".repeat(200)}`;
  assertEquals(exceededLimit(text, { maxDepth: 128, maxValues: 1_000 }), "maxValues");
});

Deno.test("memberText() and elementTexts() give values in their own bytes", () => {
  const text = '{"a":1.0,"b":[ {"x":1e2} , "\\u0041"],"a":2.0}';
  assertEquals(memberText(text, "a"), "2.0");
  assertEquals(memberText(text, "c"), undefined);
  assertEquals(elementTexts(memberText(text, "b")), ['{"x":1e2}', '"\\u0041"']);
  assertEquals([elementTexts(undefined), elementTexts("7"), elementTexts("[]")], [[], [], []]);
});

Deno.test("exceededLimit() counts what stands outside strings", () => {
  const limits = { maxDepth: 9, maxBareChars: 10 };
  assertEquals(exceededLimit('{"a":"' + "x".repeat(1e6) + '" }', limits), undefined);
  for (const text of [" ".repeat(11), "9".repeat(11), '{"a" :  [     ]}']) {
    assertEquals(exceededLimit(text, limits), "maxBareChars", text);
  }
});

function namesWritten(text: string): number {
  return atOnce(scanSteps(text, { maxDepth: Infinity })).names;
}

Deno.test("scanSteps() stops within a long string, and finds the same", () => {
  // The lower half of the last one's code is the quote's.
  const units = ["a".repeat(40), "\\", '"', "\n", '\\"', "x", "漢", `\\${"漢".repeat(39)}`];
  const strings = [3 * STEP_CHARS, 3 * LEAP_CHARS].flatMap((length) =>
    units.map((unit) => JSON.stringify(unit.repeat(length / unit.length)))
  );
  for (const text of strings) {
    for (const whole of [`{"a":${text},"b":[1]}`, `[${text},${text},{"b":":"}]`]) {
      const steps = scanSteps(whole, { maxDepth: 2, maxValues: 5 });
      let step = steps.next();
      let count = 1;
      for (; !step.done; count++) step = steps.next();
      const names = whole.startsWith("{") ? 2 : 1;
      assertEquals(step.value, { names }, whole.slice(0, 20));
      // What is one search to its end is one step.
      const isSearched = text.length <= LEAP_CHARS && !text.slice(1, -1).includes('"');
      if (!isSearched) assert(count > 2, whole.slice(0, 20));
    }
    assertEquals(members(`{"a":${text},"b":2}`).map(({ key }) => key), ["a", "b"]);
  }
});

Deno.test("repeatsName() finds a name that an object has twice, at any depth, in any spelling", () => {
  fc.assert(fc.property(objectText, (text) => {
    const keys = members(text).map(({ key }) => key);
    const repeats = new Set(keys).size < keys.length;
    assertEquals(repeatsName(namesWritten(text), JSON.parse(text)), repeats);
    for (const around of [`[1,${text}]`, `{"z":[{"y":${text}}],"x":":"}`]) {
      assertEquals(repeatsName(namesWritten(around), JSON.parse(around)), repeats);
    }
  }));
  for (const text of ['{"__proto__":1,"__proto__":{}}', '{"":1,"":1}', '[{"0":1,"0":1}]']) {
    assertEquals(repeatsName(namesWritten(text), JSON.parse(text)), true, text);
  }
  for (const text of ['{"__proto__":{"a":1}}', '{"a":{"a":{"a":1}}}', '"a:b"', "null"]) {
    assertEquals(repeatsName(namesWritten(text), JSON.parse(text)), false, text);
  }
});
