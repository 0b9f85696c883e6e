import { assert, assertEquals, assertFalse } from "@std/assert";
import fc from "fast-check";
import type { Comparable } from "../requests/task_text.ts";
import {
  agreeingPair,
  type AnswerContent,
  answerGroups,
  answerKey,
  answersEqual,
  shortText,
} from "./answers.ts";

const text = (written: string): AnswerContent => ({ text: written, calls: [] });
const equal = (form: Comparable, one: string, other: string) =>
  answersEqual(text(one), text(other), form);
const call = (name: string, written: unknown) => ({
  name,
  arguments: typeof written === "string" ? written : JSON.stringify(written),
});

Deno.test("answersEqual() compares JSON without order of members, spaces and escapes", () => {
  assert(equal("schema", '{"a":1,"b":[true,null]}', '{ "b": [true, null],\n"a": 1 }'));
  assert(equal("schema", '"\\u00e9"', '"é"'));
  assert(equal("schema", '{"a":{"c":1,"b":2}}', '{"a":{"b":2,"c":1}}'));
  assertFalse(equal("schema", "[1,2]", "[2,1]"));
  assertFalse(equal("schema", '{"a":null}', "{}"));
  assertFalse(equal("schema", '{"a":"1"}', '{"a":1}'));
  assertFalse(equal("schema", '"A"', '"a"'));
});

Deno.test("answersEqual() compares numbers of JSON by value and without loss of digits", () => {
  for (const same of ["100", "1e2", "1E+2", "100.0", "10.0e1", "1000e-1", "0.1e3"]) {
    assert(equal("schema", "100", same), same);
  }
  assert(equal("schema", "-0.0", "0e9"));
  // Numbers are read in two ways, which agree.
  assert(equal("schema", "[0.0000001,123456789012345,-0]", "[1e-7,123456789012345.0,0]"));
  assert(equal("schema", "[0.1,2]", "[0.1000000000000000,2]"));
  assertFalse(equal("schema", "[0.1,2]", "[0.1000000000000000055511151231257827,2]"));
  assertFalse(equal("schema", "9007199254740993", "9007199254740992"));
  assertFalse(equal("schema", "1e400", "1e401"));
  assertFalse(equal("schema", "-1", "1"));
  assertFalse(equal("schema", "0.10", "0.01"));
});

Deno.test("answersEqual() compares JSON of any value whatever the order of its members", () => {
  const shuffled = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shuffled)
      : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).reverse().map(([k, v]) => [k, shuffled(v)]))
      : value;
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert(equal("schema", JSON.stringify(value), JSON.stringify(shuffled(value), null, 2)));
  }));
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
    const normal = (value: unknown) => JSON.stringify(shuffled(JSON.parse(JSON.stringify(value))));
    if (!equal("schema", JSON.stringify(one), JSON.stringify(other))) {
      assert(normal(one) !== normal(other));
    }
  }));
});

Deno.test("answersEqual() is false for broken, deep or empty JSON, even if it is identical", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  for (const broken of ["", "{", "```json\n{}\n```", "NaN", deep]) {
    assertFalse(equal("schema", broken, broken), broken.slice(0, 20));
  }
});

Deno.test("answersEqual() compares tool calls by name and arguments, in any order", () => {
  const one = [call("find", { q: "a", n: 1 }), call("stop", "")];
  const same = [call("stop", "{}"), call("find", '{"n": 1.0, "q": "a"}')];
  assert(answersEqual({ text: "I call:", calls: one }, { text: "", calls: same }, "tool"));
  const differs = (calls: AnswerContent["calls"]) =>
    assertFalse(answersEqual({ text: "", calls: one }, { text: "", calls }, "tool"));
  differs([]);
  differs([call("find", { q: "a", n: 1 })]);
  differs([call("find", { q: "a", n: 2 }), call("stop", "")]);
  differs([call("stop", { q: "a", n: 1 }), call("find", "")]);
  differs([...one, call("stop", "")]);
  assertEquals(answerKey({ text: "", calls: [call("find", "{")] }, "tool"), undefined);
  assertEquals(answerKey({ text: "none", calls: [] }, "tool"), undefined);
  assertEquals(answerKey({ text: "yes", calls: [call("find", {})] }, "short"), undefined);
});

Deno.test("shortText() removes what does not change a short answer", () => {
  const same: Record<string, readonly string[]> = {
    b: [
      ..."B|b.|(B)|**B**|*b*|`B`|“B”|'B'|Answer: B|Final answer: **B**.|**Answer:** B".split("|"),
      ...["The answer is B.", "The correct answer is: (B)", "It is two.\n\nAnswer:\n B ", "Ｂ"],
      ...["Answer: A? No.\nFinal answer: B", "So: 1 < 2. The final answer is B", "答案：B。"],
    ],
    "new york": ["New  York", " new\nyork ", "NEW YORK!", "The answer is New York"],
    "l'été": ["L’été", "l'e\u0301te\u0301."],
    "-5": ["-5", "−5.", "Answer: -5"],
  };
  for (const [expected, forms] of Object.entries(same)) {
    for (const form of forms) assertEquals(shortText(form), expected, form);
  }
});

Deno.test("shortText() keeps what changes a short answer", () => {
  const pairs = [
    ...["5|-5", "5|.5", "5%|5", "$5|5", "5!|5", "10²|102", "1½|11/2", "C|C#", "C|C++", "1|[1]"],
    ...["3.10|3.1", "/etc|etc", "f(x)|f", "yes|no", "it is false that the answer is B|B"],
    ...["answer: B because A is wrong|B", "Answer: B\nor A|B", "the answer|answer", "{1}|1"],
  ];
  for (const pair of pairs) {
    const [one = "", other = ""] = pair.split("|");
    assert(shortText(one) !== shortText(other), pair);
  }
});

Deno.test("answersEqual() is false for short answers without content", () => {
  for (const empty of ["", " \n", "...", '""', "**.**"]) assertFalse(equal("short", empty, empty));
  assert(equal("short", "Answer:", "answer"));
});

Deno.test("shortText() takes every text, and a repeated normalisation changes nothing", () => {
  fc.assert(fc.property(fc.string({ maxLength: 12 }), (written) => {
    const short = shortText(written);
    assertEquals(shortText(short), short);
  }));
  fc.assert(fc.property(fc.array(fc.nat(0x10ffff), { maxLength: 40 }), (points) => {
    const written = String.fromCodePoint(...points);
    assertEquals(typeof shortText(written), "string");
  }));
  const pieces = ["\n", " ", ". answer: ", "*", "(", "''", ".answer is\n", "!", "1!", ". **"];
  for (const piece of pieces) shortText(piece.repeat(8_192 / piece.length));
});

Deno.test("answerKey() has no key for answers that are too long", () => {
  assertEquals(answerKey(text("a".repeat(8_193)), "short"), undefined);
  assertEquals(answerKey(text(`"${"a".repeat(64 * 1024)}"`), "schema"), undefined);
});

Deno.test("answerGroups() numbers groups of equal answers in their order", () => {
  const answers = [text("A"), text("B"), text("a."), undefined, undefined, text(""), text("b")];
  assertEquals(answerGroups(answers, "short"), [0, 1, 0, 2, 3, 4, 1]);
  assertEquals(answerGroups([], "short"), []);
});

Deno.test("agreeingPair() returns the first two equal answers", () => {
  const pair = (...answers: (string | undefined)[]) =>
    agreeingPair(
      answers.map((written) => written === undefined ? undefined : text(written)),
      "short",
    );
  assertEquals(pair("A", "a"), [0, 1]);
  assertEquals(pair("A", "B", "b"), [1, 2]);
  assertEquals(pair("A", undefined, "a"), [0, 2]);
  assertEquals(pair(undefined, undefined), undefined);
  assertEquals(pair("", ""), undefined);
  assertEquals(pair("A"), undefined);
});
