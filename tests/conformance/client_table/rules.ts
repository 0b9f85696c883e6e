/**
 * Helpers of the tests of tool rules: ways to ask, ways to run, and a recorded tool.
 *
 * @module
 */

import type { Tool } from "@svc/sdk";
import type { Sent } from "./stage.ts";
import { type Row, ROWS } from "./surfaces.ts";

/** A question for the calculator. */
export const SUM = { text: "What is 17 * 23?" };
/** A function of the application's. */
export const DOUBLE = {
  name: "double_it",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
};
/** A question for it. */
export const USE_DOUBLE = { text: 'Use double_it with {"n": 21}' };

/** A registered tool, and what it was called with. */
export function spy(declared: Omit<Tool, "execute"> = DOUBLE): {
  readonly tool: Tool;
  readonly inputs: unknown[];
} {
  const inputs: unknown[] = [];
  const execute = (input: unknown) => {
    inputs.push(input);
    return { doubled: 2 * Object(input).n };
  };
  return { tool: { ...declared, execute }, inputs };
}

/** Both ways to ask once. */
export function asking(row: Row): Record<"create" | "stream", Row["create"]> {
  return { create: row.create, stream: (...given) => row.stream(...given).final() };
}

/** Both ways to run. */
export function running(row: Row): Record<"run" | "runStream", Row["run"]> {
  return { run: row.run, runStream: (...given) => row.runStream(...given).final() };
}

/** One test of a rule for each way of each surface. */
export function each<Way>(
  rule: string,
  ways: (row: Row) => Readonly<Record<string, Way>>,
  check: (way: Way, wire: { readonly stream: boolean }) => Promise<void>,
): void {
  for (const row of ROWS) {
    for (const [name, way] of Object.entries(ways(row))) {
      const stream = name.toLowerCase().includes("stream");
      Deno.test(`${rule} | ${row.name} ${name}`, () => check(way, { stream }));
    }
  }
}

/** Texts of the results that a request sends back. */
export function resultsIn({ body }: Sent): unknown[] {
  const items: unknown = body?.["messages"] ?? body?.["input"];
  // An input of Responses may be a text.
  if (!Array.isArray(items)) return [];
  return items.filter(({ role, type }) => role === "tool" || type === "function_call_output")
    .map(({ content, output }) => content ?? output);
}
