/**
 * Tools that a question clearly needs without naming them: "weather in San Francisco" for
 * `get_weather`, "3 * 12" for `multiply`. A question needs a tool if it contains all significant
 * words of the tool's name, and a value for each required argument.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { OfferedTool } from "./chat_request.ts";
import { wordsOf } from "./prompt_facts.ts";
import { isLike } from "./prompt_values.ts";

/** Words of names that do not describe what a tool is for. */
const GENERIC: ReadonlySet<string> = new Set(
  (
    "get fetch find search lookup look up retrieve query list show check calculate calc " +
    "compute determine current latest the a an of for in at by from to with tool function " +
    "api service data info information details my do run call value now new create"
  ).split(" "),
);

const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["weather", ["temperature", "forecast", "raining", "rain", "snowing", "sunny", "cold", "warm"]],
  ["temperature", ["weather"]],
  ["email", ["mail"]],
  ["stock", ["share"]],
]);

/** Starts of sentences that are no request. */
const STATES =
  /^\s*(?:I|we|you|he|she|it|they|this|that|these|those|there|the|a|an|my|our|once|thanks?)\b(?!['’]d\b| (?:need|want|would like)\b)/i;

/** True when a question contains all significant words of a tool's name. */
export function isAskedFor({ name, parameters }: OfferedTool, question: string): boolean {
  if (!question.includes("?") && STATES.test(question)) return false;
  const properties = isJsonObject(parameters) && isJsonObject(parameters.properties)
    ? parameters.properties
    : {};
  const words = wordsOf(name).filter((word) => !GENERIC.has(word));
  // A question names a city without the word "city".
  const named = new Set(Object.keys(properties).flatMap(wordsOf));
  const about = words.filter((word) => !named.has(word));
  const telling = about.length > 0 ? about : words;
  const spoken = question.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  return telling.length > 0 &&
    telling.every((word) =>
      [word, ...SYNONYMS.get(word) ?? []].some((one) => spoken.some(isLike(one)))
    );
}

const OPERATIONS: readonly (readonly [operator: string, names: readonly string[]])[] = [
  ["+", ["add", "adder", "addition", "sum", "plus"]],
  ["-", ["subtract", "subtraction", "minus", "difference"]],
  ["*", ["multiply", "multiplier", "multiplication", "times", "product"]],
  ["/", ["divide", "division", "quotient"]],
];
const BINARY = /^(-?\d+(?:\.\d+)?) ?([-+*/]) ?(-?\d+(?:\.\d+)?)$/;

/** Returns the tool that computes an expression of two numbers, with its arguments by name. */
export function operationFor(
  expression: string,
  tools: readonly OfferedTool[],
): { readonly tool: OfferedTool; readonly args: Readonly<Record<string, number>> } | undefined {
  const [, left, operator, right] = BINARY.exec(expression) ?? [];
  const names = OPERATIONS.find(([sign]) => sign === operator)?.[1] ?? [];
  const tool = tools.find(({ name, parameters }) =>
    wordsOf(name).some((word) => names.includes(word)) && numbersOf(parameters).length === 2
  );
  if (tool === undefined) return undefined;
  const [first = "", second = ""] = numbersOf(tool.parameters);
  return { tool, args: { [first]: Number(left), [second]: Number(right) } };
}

/** Returns the names of arguments that take a number. */
function numbersOf(parameters: unknown): string[] {
  const properties = isJsonObject(parameters) && isJsonObject(parameters.properties)
    ? parameters.properties
    : {};
  return Object.entries(properties)
    .filter(([, one]) => isJsonObject(one) && ["number", "integer"].includes(String(one.type)))
    .map(([name]) => name);
}
