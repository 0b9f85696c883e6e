/**
 * Decides which tools to call, and with which arguments.
 *
 * The first rule that matches counts: the tool that `tool_choice` demands; every tool that the
 * question names (an ordinary word only beside a verb such as "use" or "call"); `calculator` for
 * every arithmetic expression; a tool named after the operation of an expression; `web_search` or
 * `file_search` where the question wants something searched, looked up or found in files, or the
 * latest of something; a tool that the question clearly needs. A JSON object right after a tool's
 * name becomes its arguments; otherwise they are filled from the text after the name, or from all
 * of it, by their names, types and enums. The arguments of a `strict` tool always fit its schema. A
 * list of names becomes a call for each, if the argument takes one of them.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { expressionsIn } from "./arithmetic.ts";
import type { OfferedTool, SimulatedRequest } from "./chat_request.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { isAskedFor, operationFor } from "./plain_match.ts";
import { factsIn, type PromptFacts, withOnly } from "./prompt_facts.ts";
import { PromptValues } from "./prompt_values.ts";
import { instanceOf, type InstanceOptions } from "./schema_instance.ts";
import { isSearchTool, queryOf, searchesFor } from "./searching.ts";

/** A call to make. */
export interface WantedCall {
  readonly name: string;
  /** JSON text. */
  readonly args: string;
}

// Maximum length of the part of a question that is read for instructions, in characters.
const LONGEST_INSTRUCTION = 8_192;

/** Returns the calls to make now; none where all are made, or none is wanted. */
export function chooseCalls(request: SimulatedRequest): readonly WantedCall[] | Refusal {
  const { tools, toolChoice } = request;
  if (tools.length === 0 || toolChoice === "none") return [];
  const earlierCalls = request.steps.reduce((sum, step) => sum + step.calls.length, 0);
  const wanted = wantedCalls(request);
  if (isRefusal(wanted)) return wanted;
  const remaining = wanted.slice(earlierCalls);
  return request.parallel ? remaining : remaining.slice(0, 1);
}

function wantedCalls(request: SimulatedRequest): readonly WantedCall[] | Refusal {
  const { tools, toolChoice } = request;
  const text = request.question.slice(0, LONGEST_INSTRUCTION);
  if (typeof toolChoice === "object") {
    const named = tools.filter((tool) => tool.name === toolChoice.name).slice(0, 1);
    const mention = named.map((tool) => ({ tool, end: mentionEnd(text, tool.name) ?? 0 }));
    const forced = fillAll(mention, text);
    return isRefusal(forced) ? forced : forced.slice(0, 1);
  }
  const mentioned = mentions(text, tools);
  if (mentioned.length > 0) return fillAll(mentioned, text);
  const calculator = tools.find((tool) => tool.name === "calculator");
  const expressions = calculator === undefined ? [] : expressionsIn(text);
  if (calculator !== undefined && expressions.length > 0) {
    return collect(expressions.map((expression) => calculate(calculator, expression)));
  }
  const operations = expressionsIn(text).flatMap((one) => operationFor(one, tools) ?? []);
  if (operations.length > 0) {
    return collect(operations.map(({ tool, args }) => fillWith(tool, args)));
  }
  const searches = searchesFor(text, tools);
  if (searches.length > 0) return fillAll(searches.map((tool) => ({ tool, end: 0 })), text);
  const plain = tools.flatMap((tool) => plainCalls(tool, text));
  if (plain.length > 0) return plain;
  const first = tools[0];
  if (toolChoice !== "required" || first === undefined) return [];
  return fillAll([{ tool: first, end: 0 }], text);
}

interface Mention {
  readonly tool: OfferedTool;
  /** Offset after the name; 0 where the text does not contain it. */
  readonly end: number;
}

const VERB = /\b(?:use|using|call|run|invoke|try)\b|使用|调用|运行|用/i;
const UNMISTAKABLE = /[_\-\d]|[a-z][A-Z]/;

function mentions(text: string, tools: readonly OfferedTool[]): Mention[] {
  const hasVerb = VERB.test(text);
  const mentions: Mention[] = [];
  for (const tool of tools) {
    if (!hasVerb && !UNMISTAKABLE.test(tool.name)) continue;
    const end = mentionEnd(text, tool.name);
    if (end !== undefined) mentions.push({ tool, end });
  }
  return mentions.sort((one, other) => one.end - other.end);
}

const NAME_CHAR = /[A-Za-z0-9_-]/;

function mentionEnd(text: string, name: string): number | undefined {
  if (name === "") return undefined;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!NAME_CHAR.test(text[at - 1] ?? "") && !NAME_CHAR.test(text[end] ?? "")) return end;
  }
  return undefined;
}

function fillAll(called: readonly Mention[], text: string): readonly WantedCall[] | Refusal {
  return collect(called.flatMap(({ tool, end }, at) => {
    const preset = end > 0 ? objectAt(text, end) : undefined;
    if (preset !== undefined) {
      return [
        tool.strict
          ? fill(tool, { preset: JSON.parse(preset) })
          : { name: tool.name, args: preset },
      ];
    }
    if (isSearchTool(tool)) return [fillWith(tool, { query: queryOf(text) })];
    const own = end > 0 ? text.slice(end, called[at + 1]?.end) : "";
    const expressions = tool.name === "calculator" ? ownOrAny(own, text, expressionsIn) : [];
    if (expressions.length > 0) return expressions.map((one) => calculate(tool, one));
    const hints = ownOrAny(own, text, (part) => hintsIn(part, tool.name));
    if (asksForNothing(tool)) return [fillFirst(tool, hints[0])];
    const [part = text] = ownOrAny(own, text, (part) => hasFacts(part, tool) ? [part] : []);
    return fillEach(tool, factsIn(part, tool.name)).calls;
  }));
}

function hasFacts(part: string, { name }: OfferedTool): boolean {
  const { text: _, ...facts } = factsIn(part, name);
  return Object.values(facts).some(({ length }) => length > 0);
}

/**
 * Returns calls of a tool that a question needs without naming it; none where an argument is
 * unknown.
 */
function plainCalls(tool: OfferedTool, text: string): WantedCall[] {
  if (isSearchTool(tool) || !isAskedFor(tool, text)) return [];
  const { calls, guessed } = fillEach(tool, factsIn(text, tool.name));
  const wanted = collect(calls);
  return isRefusal(wanted) || guessed > 0 ? [] : [...wanted];
}

/** Returns a call, or one for each name of a list if an argument takes one of them. */
function fillEach(tool: OfferedTool, facts: PromptFacts): {
  readonly calls: readonly (WantedCall | Refusal)[];
  readonly guessed: number;
} {
  const prompt = new PromptValues(facts);
  const calls = [fill(tool, { prompt })];
  for (const other of prompt.others.slice(0, MOST_LISTED)) {
    calls.push(fill(tool, { prompt: new PromptValues(withOnly(facts, other)) }));
  }
  return { calls, guessed: prompt.guessed };
}

const MOST_LISTED = 8;

/** Returns the matches after a tool's name, else those anywhere. */
function ownOrAny<Found>(
  own: string,
  text: string,
  find: (part: string) => readonly Found[],
): readonly Found[] {
  const mentions = find(own);
  return mentions.length > 0 ? mentions : find(text);
}

function collect(calls: readonly (WantedCall | Refusal)[]): readonly WantedCall[] | Refusal {
  const wanted: WantedCall[] = [];
  for (const call of calls) {
    if (isRefusal(call)) return call;
    wanted.push(call);
  }
  return wanted;
}

function fill(tool: OfferedTool, options: InstanceOptions = {}): WantedCall | Refusal {
  const schema = isJsonObject(tool.parameters) ? { type: "object", ...tool.parameters } : {};
  const instance = instanceOf(schema, options);
  if (instance === undefined) {
    return refuse("tools", `Cannot call "${tool.name}": no simulated arguments fit its parameters`);
  }
  return { name: tool.name, args: JSON.stringify(instance.value) };
}

function calculate(tool: OfferedTool, expression: string): WantedCall | Refusal {
  return fillWith(tool, { [expressionArgument(tool)]: expression });
}

/**
 * True for a tool that could be called without arguments, such as one whose arguments exclude each
 * other.
 */
function asksForNothing({ parameters }: OfferedTool): boolean {
  const required = isJsonObject(parameters) ? parameters.required : undefined;
  return !Array.isArray(required) || required.length === 0;
}

/** Returns a call whose first text argument is a hint. */
function fillFirst(tool: OfferedTool, hint: string | undefined): WantedCall | Refusal {
  const [first] = textArguments(tool);
  return hint === undefined || first === undefined ? fill(tool) : fillWith(tool, { [first]: hint });
}

/** Returns a call with the given arguments; the others are made up. */
function fillWith(
  tool: OfferedTool,
  preset: Readonly<Record<string, string | number>>,
): WantedCall | Refusal {
  const filled = fill(tool, { preset });
  if (isRefusal(filled)) return filled;
  if (tool.strict) return filled;
  const others: unknown = JSON.parse(filled.args);
  const args = { ...isJsonObject(others) ? others : {}, ...preset };
  return { name: tool.name, args: JSON.stringify(args) };
}

/** Returns the argument that takes an expression: the first required text, else the first text. */
function expressionArgument(tool: OfferedTool): string {
  const required: unknown = isJsonObject(tool.parameters) ? tool.parameters.required : undefined;
  const texts = textArguments(tool);
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return texts.find(isRequired) ?? texts[0] ?? "expression";
}

/** Returns the names of arguments that take any text. */
function textArguments({ parameters }: OfferedTool): readonly string[] {
  const { properties } = isJsonObject(parameters) ? parameters : {};
  return Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([, one]) => isJsonObject(one) && (one.type === undefined || one.type === "string"))
    .filter(([, one]) =>
      !isJsonObject(one) || !["enum", "const", "pattern"].some((key) => key in one)
    )
    .map(([name]) => name);
}

/** Returns the JSON object that follows at `start`, after spaces and "with". */
function objectAt(text: string, start: number): string | undefined {
  const open = /^(?:\s|with|,|:|，|：)*\{/.exec(text.slice(start, start + 40));
  if (open === null) return undefined;
  const from = start + open[0].length - 1;
  for (let end = text.indexOf("}", from); end >= 0; end = text.indexOf("}", end + 1)) {
    const candidate = text.slice(from, end + 1);
    if (isJson(candidate)) return candidate;
    if (end - from > LONGEST_OBJECT) return undefined;
  }
  return undefined;
}

const LONGEST_OBJECT = 1_024;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns texts for arguments: quoted ones, then capitalised words. */
function hintsIn(text: string, toolName: string): string[] {
  const quoted = [...text.matchAll(/["“「]([^"”」\n]{1,200})["”」]/g)].map((match) => match[1]);
  const names = [...text.matchAll(/(?<=[a-z0-9,] )[A-Z][A-Za-z]{1,40}/g)].map((match) => match[0]);
  return [...quoted, ...names].filter((hint): hint is string =>
    hint !== undefined && hint !== toolName
  );
}
