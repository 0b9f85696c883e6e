import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { failureOf, readError, readErrorAnswer, redact } from "./failure.ts";

const KEYS = [
  "sk-proj-abcDEF0123456789",
  "sk-ant-api03-xyz_ABC-123",
  "gsk_abcdefghij0123456789",
  "AIzaSyA1234567890abcdefghijk",
  "AKIAIOSFODNN7EXAMPLE",
  "Bearer abc.def.ghi",
  "0123456789abcdef0123456789abcdef",
  "sk-abc***************xyz1",
];

Deno.test("redact() lets nothing through that looks like a key", () => {
  fc.assert(fc.property(fc.constantFrom(...KEYS), fc.lorem(), fc.lorem(), (key, before, after) => {
    const clean = redact(`${before} ${key} ${after}`);
    assert(!clean.includes(key.replace("Bearer ", "")), clean);
    assertEquals(clean, `${before} [redacted] ${after}`);
  }));
});

Deno.test("redact() removes the upstream's own key in any form", () => {
  assertEquals(
    redact("Your key plain word! is bad", ["plain word!"]),
    "Your key [redacted] is bad",
  );
  assertEquals(redact("none of it", ["none"]), "none of it");
});

Deno.test("redact() keeps what a caller needs", () => {
  for (
    const message of [
      "Invalid 'messages[2].content': expected a string, got 12345",
      "No tool output found for function call call_abc123DEF456",
      "Unsupported value: 'temperature' does not support 0.2 with this model.",
    ]
  ) assertEquals(redact(message), message);
});

Deno.test("redact() bounds and cleans", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 9_000 }), (message) => {
    const clean = redact(message);
    assert(clean.length <= 1_000 && clean.isWellFormed());
  }));
  assertEquals(redact("a\r\n\u0000b "), "a b");
});

Deno.test("readError() knows the shapes that are about", () => {
  const none = { code: undefined, param: undefined, status: undefined };
  assertEquals(readError({ error: { message: "m", code: "c", param: "p" } }), {
    message: "m",
    code: "c",
    param: "p",
    status: undefined,
  });
  assertEquals(readError({ error: "m" }), { message: "m" });
  assertEquals(readError([{ error: { message: "m", code: 429 } }]), {
    ...none,
    message: "m",
    status: 429,
  });
  assertEquals(readError({ object: "error", message: "m", code: 42 }), { ...none, message: "m" });
  assertEquals(readError({ error: { message: 3, code: "", param: null } }), {
    ...none,
    message: "",
  });
  for (const fine of [{ error: null }, { error: "" }, {}, [], null, "error", 3, { choices: [] }]) {
    assertEquals(readError(fine), undefined);
  }
  assertEquals(readErrorAnswer({ detail: "d" }), { message: "d" });
  assertEquals(readErrorAnswer({ message: "m" }), { ...none, message: "m" });
  assertEquals(readErrorAnswer(undefined), { message: "" });
});

Deno.test("failureOf() tells param and code of refused input only", () => {
  const error = { message: "", param: "p", code: "c" };
  assertEquals(failureOf(error, { status: 400 }), {
    kind: "failure",
    outcome: "refused_input",
    status: 400,
    retryAfterMs: undefined,
    message: "The upstream answered 400",
    param: "p",
    code: "c",
  });
  assertEquals(failureOf(error, { status: 503, retryAfterMs: 5 }), {
    kind: "failure",
    outcome: "server_error",
    status: 503,
    retryAfterMs: 5,
    message: "The upstream answered 503",
  });
});

Deno.test("failureOf() never mistakes an error for another, for any content", () => {
  const text = fc.option(fc.string(), { nil: undefined });
  const errors = fc.record({ message: fc.string(), code: text, param: text });
  fc.assert(fc.property(errors, fc.integer({ min: 200, max: 999 }), (error, status) => {
    const failure = failureOf(error, { status });
    assertEquals(failure.kind, "failure");
    assert(failure.message.length > 0);
  }));
});

Deno.test("redact() takes secrets out however they are written, whole at every cut", () => {
  const secret = "plain+word/without=mark";
  const json = [...secret].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("");
  for (const written of [json, encodeURIComponent(secret), `${secret}\n`]) {
    assertEquals(
      redact(`Your key ${written.trim()} is bad`, [`${secret}\n`]),
      "Your key [redacted] is bad",
    );
  }
  for (let at = 0; at < 12_000; at += 7) {
    const clean = redact(`${" ".repeat(at)}x${secret.repeat(500)}`, [secret]);
    assert(!clean.includes("plain"), `${at}: ${clean}`);
  }
});

Deno.test("failureOf() repeats no secret as a code or a parameter", () => {
  const secret = "plain-word-1";
  const error = { message: secret, code: `c ${secret}`, param: `p ${secret}` };
  const failure = failureOf(error, { status: 400, secrets: [secret] });
  assert(!JSON.stringify(failure).includes(secret), JSON.stringify(failure));
});

Deno.test("redact() takes time by the message's length alone", () => {
  // Looked along from each of their characters, a thousand of these would take minutes.
  const texts = [
    "a-".repeat(4_000),
    "-".repeat(8_000),
    "Bearer ".repeat(2_000),
    "\\".repeat(8_000),
  ];
  for (let round = 0; round < 1_000; round++) {
    for (const text of texts) redact(text, ["never-there"]);
  }
});
