import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { REDACTED, redacted } from "./redact.ts";

const SECRETS = [
  "svc_live_5f1d9cab12cd34ef",
  "svc_admin_b71e02aa11bb22cc",
  "svc_link_0a1b2c3d4e5f",
  "svc_me_0a1b2c3d4e5f6a7b",
  "sk-canary-upstream-7d20ee",
  "sk_live_abcdefgh12345678",
  "AIzaSyA1234567890abcdefghijklmnopqrstuv",
  "AKIAIOSFODNN7EXAMPLE",
  "ghp_abcdefghijklmnop1234",
  "xoxb-123456789012-abcdef",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
  "Bearer abc.def-ghi_jkl",
  "alice.o'neil+x@example.co.uk".slice(8),
  "jürgen@bücher.example",
  "4111 1111 1111 1111",
  "5500-0000-0000-0004",
  "378282246310005",
  "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----",
  "api_key=0123456789abcdef",
  "password: hunter2-hunter2",
  JSON.stringify({ "x-api-key": "0123456789" }).slice(1, -1),
  JSON.stringify(JSON.stringify({ apiKey: "0123456789" })).slice(4, -5),
  "://app:pa55word@",
] as const;

Deno.test("Secrets are taken out wherever they stand", () => {
  for (const secret of SECRETS) {
    for (const text of [secret, `My key: ${secret}.`, `"${secret}"`, `a\n${secret}\nb`]) {
      const out = redacted(text, 1_000);
      assert(out.includes(REDACTED), text);
      assert(!out.includes(secret), out);
    }
  }
});

Deno.test("Secrets are taken out however they are written", () => {
  for (
    const text of [
      "sk\\u002dcanary\\u002dupstream\\u002d7d20ee",
      "sk%2Dcanary%2Dupstream%2D7d20ee",
      "sk\u2011canary\u2011upstream\u20117d20ee",
    ]
  ) assertEquals(redacted(`My key: ${text}.`, 1_000), `My key: ${REDACTED}.`);
});

Deno.test("text without a secret stays unchanged", () => {
  for (
    const text of [
      "What does a gateway do?",
      "I paid 12.50 on 2026-11-21 for 1234567 items",
      "写一首诗 @ home, task-list, bearer of news",
      "def f(x): return x ** 2",
      "Choose a password: at least 8 words, see https://example.com:8443/a?b=c#d",
    ]
  ) assertEquals(redacted(text, 1_000), text);
});

Deno.test("No part of a secret is left where the text is cut", () => {
  fc.assert(fc.property(
    fc.constantFrom(...SECRETS),
    fc.string({ maxLength: 40 }),
    fc.nat(80),
    (secret, before, cut) => {
      const out = redacted(`${before} ${secret} and more`, cut);
      assert(out.length <= Math.max(cut, before.length + 1) + REDACTED.length);
      const from = before.length + 1;
      if (cut > from && !before.includes(REDACTED)) {
        // Only the text before it, and no beginning of it.
        assert(!out.includes(secret.slice(0, 8)) || before.includes(secret.slice(0, 8)));
      }
    },
  ));
});

Deno.test("Hostile text costs no more than its length", () => {
  for (
    const text of [
      "a".repeat(200_000),
      "-eyJ".repeat(50_000),
      "\\".repeat(200_000),
      "1 ".repeat(100_000),
      "-----BEGIN ".repeat(20_000),
      "://".repeat(60_000),
      "password \\\\".repeat(20_000),
    ]
  ) {
    assert(redacted(text, 16_384).length <= 17_000);
  }
});
