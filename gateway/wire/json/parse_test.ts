import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { atOnce } from "../../domain/redaction/steps.ts";
import { LEAP_CHARS } from "./text.ts";
import { hasEscapedName, parseJson, parseSteps } from "./parse.ts";

const parse = (text: string) => atOnce(parseSteps(text));

/** Parts of JSON, and invalid ones. */
const PARTS = [
  ...[
    '{"a":1}',
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"',
    '"a"',
    '"__proto__"',
    '"1"',
    '"\\u0061"',
    '"\\"',
  ],
  ...[
    "1",
    "-0",
    "1e5",
    "01",
    "1.",
    "true",
    "null",
    "nul",
    " ",
    "\n",
    "\t",
    "\v",
    "\u00a0",
    "\ufeff",
  ],
  ...["\\", "\\u", "\\ud83d", '"\\ude00"', "\u0000", '""', "NaN", '"b":[]', '"b":{}'],
];

function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) };
  } catch (error) {
    assert(error instanceof SyntaxError, `${error}`);
    return "refused";
  }
}

/** Names have no backslash: `JSON.parse` is no oracle for those. */
const plain = fc.string({ unit: "binary" }).filter((text) => !text.includes("\\"));
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, -0, 1e-7, 12345678901234567890, "\ud83d", "\\"),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "binary" }),
    fc.array(tie("value")),
    fc.array(
      fc.tuple(fc.oneof(plain, fc.constantFrom("__proto__", "constructor", "1")), tie("value")),
    )
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

Deno.test("parseSteps() makes the value that JSON.parse makes", () => {
  fc.assert(fc.property(value, fc.constantFrom(0, 1, "\t"), (made, space) => {
    const text = JSON.stringify(made, null, space);
    assertEquals(parse(text), JSON.parse(text));
    assertEquals(JSON.stringify(parse(text)), JSON.stringify(JSON.parse(text)));
  }));
});

Deno.test("parseSteps() refuses what JSON.parse refuses, and takes what it takes", () => {
  const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) =>
    parts.join("")
  );
  fc.assert(
    fc.property(texts, (text) => {
      // With what comes before it no text is long enough to be walked over in steps.
      for (const whole of [text, `{"b":${text}}`, `[${text}]`, `{${text}}`]) {
        const expected = /\\[^"]*"\s*:/.test(whole) ? undefined : outcome(JSON.parse, whole);
        const made = outcome(parse, whole);
        if (expected !== undefined) assertEquals(made, expected, whole);
      }
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("a name that is written twice has its last value, in the place of its first", () => {
  const text = '{"a":1,"b":2,"\\u0061":3,"__proto__":{"c":4},"1":5,"__proto__":6}';
  assertEquals(JSON.stringify(parse(text)), '{"1":5,"a":3,"b":2,"__proto__":6}');
  assertEquals(Object.getPrototypeOf(parse(text)), Object.prototype);
});

Deno.test("long strings are read in pieces that cut no character", () => {
  for (const unit of ["\\n", "\\u00e9", "\\ud83d\\ude00", "\\\\", '\\"', "é", "a", "\\\\\\u005c"]) {
    for (let shift = 0; shift < 7; shift++) {
      const text = `"${"x".repeat(shift)}${
        unit.repeat(Math.ceil(1.2 * LEAP_CHARS / unit.length))
      }"`;
      assert(parse(text) === JSON.parse(text), `${unit} after ${shift}`);
      assertEquals(Object.keys(Object(parse(`{${text}:1}`)))[0] === JSON.parse(text), true);
    }
    const text = `"x${unit.repeat(Math.ceil(1.2 * LEAP_CHARS / unit.length))}"`;
    for (
      const broken of [text.slice(0, -1), text.slice(0, -2), text + '"', text.replace("x", "\n")]
    ) {
      if (outcome(JSON.parse, broken) === "refused") assertThrows(() => parse(broken), SyntaxError);
    }
  }
});

Deno.test("a long string is plain where each of its pieces is", () => {
  const long = "é漢a".repeat(LEAP_CHARS);
  const marks = ["", "\\n", "\\\\", "\\u0061", "\n", "\0", "\x1f", "\x7f", "\u2028", '"', '\\"'];
  for (const mark of marks) {
    for (const at of [0, 1, LEAP_CHARS - 1, LEAP_CHARS, 2 * LEAP_CHARS + 1, long.length]) {
      const text = `{"a":["${long.slice(0, at)}${mark}${long.slice(at)}"]}`;
      const [made, expected] = [outcome(parse, text), outcome(JSON.parse, text)];
      // Their comparison would describe megabytes.
      const isSame = made === expected || JSON.stringify(made) === JSON.stringify(expected);
      assert(isSame, `${JSON.stringify(mark)} at ${at}`);
    }
  }
});

Deno.test("a long text takes many steps, deep as it may be", () => {
  const texts = [
    `"${"\\n".repeat(2_000_000)}"`,
    `[${"1,".repeat(1_000_000)}1]`,
    `${"[".repeat(500_000)}${"]".repeat(500_000)}`,
    `{"a":"${"a".repeat(3_000_000)}"}`,
  ];
  for (const text of texts) {
    let steps = 0;
    for (const _ of parseSteps(text)) steps++;
    assert(steps >= Math.floor(text.length / LEAP_CHARS), `${steps} of ${text.slice(0, 9)}`);
  }
});

Deno.test("no name is mistaken for an earlier one", () => {
  // What V8 keeps of these objects is what it goes by for the next ones.
  for (let time = 0; time < 5; time++) {
    JSON.parse('{"met":[],"\\\\u006":[]}');
    parseJson('{"seen":[],"\\\\u006":[]}');
  }
  for (const first of ["met", "seen"]) {
    const text = `{"${first}":[],"\\u006dodel":[]}`;
    assertEquals(Object.keys(Object(parseJson(text))), [first, "model"]);
    assertEquals(Object.keys(Object(parse(text))), [first, "model"]);
  }
  // The service's own parsing lays no such trap for others.
  assertEquals(Object.keys(JSON.parse('{"seen":[],"\\u006dodel":[]}')), ["seen", "model"]);
});

Deno.test("hasEscapedName() finds every escaped name", () => {
  const name = fc.array(fc.constantFrom("a", '"', "\\", "\n", ":", ",", "é", " "), { maxLength: 5 })
    .map((parts) => parts.join(""));
  const space = fc.constantFrom("", " ", "\n\t");
  fc.assert(fc.property(fc.array(name, { maxLength: 3 }), name, space, (values, key, gap) => {
    const before = values.map((value) => `${JSON.stringify(value)},`).join(gap);
    const text = `[${before}{${JSON.stringify(key)}${gap}:1}]`;
    if (JSON.stringify(key) !== `"${key}"`) assertEquals(hasEscapedName(text), true, text);
  }));
  assertEquals(hasEscapedName('{"a":"b\\n", "c": ["\\u0061", "\\\\"]}'), false);
});
