import { assertEquals } from "@std/assert";
import { call, prompt, USER } from "./prompt_fixture.ts";
import { formatOf } from "./translated_fixture.ts";
import { hasRounded, roundedCall } from "./rounded_integers.ts";

Deno.test("hasRounded() finds integers that no double holds, at any depth", () => {
  for (const whole of ["9007199254740991", "1.5", "1e3", '"9007199254740993"']) {
    assertEquals(hasRounded(JSON.parse(`{"a":[${whole}]}`)), false, whole);
  }
  for (const odd of ["9007199254740993", "-12345678901234567890", "1e300"]) {
    assertEquals(hasRounded(JSON.parse(`{"a":[{"b":${odd}}]}`)), true, odd);
  }
  const deep = JSON.parse("[".repeat(5_000) + "12345678901234567890" + "]".repeat(5_000));
  assertEquals(hasRounded(deep), true);
});

Deno.test("the source of a value is passed with a call of the answer", () => {
  const input = '{"id":12345678901234567000}';
  const isReported = (kind: "anthropic" | "google" | "azure", stream: boolean) =>
    roundedCall(input, { format: formatOf(kind), stream }) !== undefined;
  assertEquals([isReported("anthropic", false), isReported("anthropic", true)], [true, false]);
  assertEquals([isReported("google", false), isReported("google", true)], [true, true]);
  assertEquals([isReported("azure", false), isReported("azure", true)], [false, false]);
  assertEquals(roundedCall('{"id":123}', { format: formatOf("google"), stream: true }), undefined);
  assertEquals(roundedCall('{"a":', { format: formatOf("google"), stream: true }), undefined);
});

Deno.test("a call of before whose arguments are rounded is reported on every kind", () => {
  const written = { name: "f", arguments: '{"id":12345678901234567890}' };
  for (const kind of ["anthropic", "azure", "cohere"] as const) {
    const { notes } = prompt(kind, USER, {
      role: "assistant",
      tool_calls: [call("a", { function: written })],
    });
    assertEquals(notes.warnings, [
      '"messages.1.tool_calls.0.function.arguments" has integers beyond 2^53, which were rounded',
    ]);
  }
});
