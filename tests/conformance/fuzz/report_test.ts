import { assertEquals } from "@std/assert";
import { unexpected } from "./report.ts";

function report(code: string, message: string): string {
  return `____ POST /keys ____
1. Test Case ID: a

- ${code} A title

[400] Bad Request:

    \`{"error":{"message":${JSON.stringify(message)}}}\`

=================================== SUMMARY ====================================
     7 generated, 1 found 1 unique failures
`;
}

Deno.test("a refusal that rests on the service's state is expected, and nothing else", () => {
  assertEquals(unexpected(report("ST202", 'There is no wallet "team"')), []);
  const unknown = 'Cannot accept "policy.models.0": The catalog has no model "fast-mini"';
  assertEquals(unexpected(report("ST202", unknown)), []);
  assertEquals(unexpected(report("ST202", 'Cannot accept "messages.0.role"')).length, 1);
  assertEquals(unexpected(report("ST108", 'There is no wallet "team"')).length, 1);
});

Deno.test("a run that tested nothing, or broke, is unexpected", () => {
  assertEquals(unexpected("Cannot load the specification").length, 1);
  const broken = "=== ERRORS ===\nRuntime Error\n=== SUMMARY ===\n     7 generated\n";
  assertEquals(unexpected(broken), ["\nRuntime Error\n"]);
  assertEquals(unexpected("     7 generated, 0 found\n"), []);
});
