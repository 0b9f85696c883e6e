/**
 * The kind of a request: what requests of one task have in common, and how their answers compare.
 *
 * @module
 */

import type { ChatMessage, ChatRequest, ChatTool } from "@svc/sdk/protocol";

/** Form by which two answers to a request compare. */
export type Comparable = "schema" | "tool" | "short";

/** Characters of the system prompt that are read. */
const SYSTEM_CHARS = 1_024;
/** Tools whose names are read. */
const TOOLS_MAX = 64;
/** Characters of a response schema that are read. */
const SCHEMA_CHARS = 2_048;
/** Maximum output of an answer that counts as short, in tokens. */
export const SHORT_ANSWER_TOKENS = 256;

/**
 * Returns a text that requests of one task share: the beginning of the system prompt without dates,
 * numbers and ids, the names of the tools, and the response schema. It is hashed under a secret and
 * never stored.
 */
export function taskTextOf(request: ChatRequest): string {
  const tools = (request.tools ?? []).slice(0, TOOLS_MAX).map(nameOf);
  const format = request.response_format;
  const schema = format?.type === "json_schema"
    ? JSON.stringify(format).slice(0, SCHEMA_CHARS)
    : format?.type ?? "";
  // No name holds a line break, and the schema comes last: different parts give different texts.
  return `${normalisedOnce(systemText(request.messages))}\n${tools.sort().join(" ")}\n${schema}`;
}

function nameOf(tool: ChatTool): string {
  const { function: declared } = tool;
  const name = typeof declared === "object" && declared !== null && "name" in declared
    ? declared.name
    : undefined;
  return typeof name === "string" ? name : tool.type;
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const WORD = /[\p{L}\p{N}]+/gu;
const DIGIT = /\p{N}/u;
/** Names of months and days of the week. */
const DATE_WORDS: ReadonlySet<string> = new Set(
  ("january february march april may june july august september october november december " +
    "jan feb mar apr jun jul aug sep sept oct nov dec " +
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri " +
    "sat sun").split(" "),
);

/** Maximum beginnings of system prompts whose result is remembered: applications have a few. */
const REMEMBERED_MAX = 256;
const remembered = new Map<string, string>();

/** Returns {@linkcode normalised} of a text, computed once for as long as it is remembered. */
function normalisedOnce(text: string): string {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const result = normalised(text);
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(text, result);
  return result;
}

/**
 * Removes the parts of a text that vary between requests of one task: runs of letters and digits
 * that hold a digit, as numbers, times and ids do, names in dates, and differences of case and white
 * space. Every pattern takes linear time.
 */
function normalised(text: string): string {
  return text.toLowerCase().replace(UUID, "0")
    .replace(WORD, (word) => DATE_WORDS.has(word) || DIGIT.test(word) ? "0" : word)
    .replace(/0(?:[-:./_, ]{1,2}0)+/g, "0").replace(/\s+/g, " ").trim();
}

function systemText(messages: readonly ChatMessage[]): string {
  const system = messages.find(({ role }) => role === "system" || role === "developer");
  const content = system?.content;
  if (typeof content === "string") return content.slice(0, SYSTEM_CHARS);
  const texts = (content ?? []).slice(0, 8).map((part) => part["text"])
    .filter((text) => typeof text === "string").map((text) => text.slice(0, SYSTEM_CHARS));
  return texts.join("\n").slice(0, SYSTEM_CHARS);
}

/**
 * Returns the form by which two answers compare: JSON of a schema, the call of a tool that the caller
 * demands, or a short text. Absent where they do not.
 */
export function comparableOf(request: ChatRequest): Comparable | undefined {
  const { tools, tool_choice: choice } = request;
  if ((tools ?? []).length > 0) {
    const isForced = choice === "required" || typeof choice === "object" && choice !== null;
    return isForced ? "tool" : undefined;
  }
  if (request.response_format?.type === "json_schema") return "schema";
  const most = request.max_completion_tokens ?? request.max_tokens;
  return most != null && most <= SHORT_ANSWER_TOKENS ? "short" : undefined;
}
