/**
 * Signs, in a complete answer, that it is bad: alarms. An answer without one may still be bad.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { violates } from "./schema_check.ts";

/** Signs of a bad answer. */
export type Alarm = "refused" | "tool_call" | "empty" | "schema";

/** Maximum length of an answer, and of the input of a tool call, that is parsed, in UTF-16 code units. */
export const CHECKED_CHARS_MAX = 64 * 1024;
/** Calls of one answer that are looked at. */
const CALLS_MAX = 64;

/** A call of a tool in an answer. */
export interface ObservedCall {
  readonly name: string;
  /** JSON text of its input; absent for a tool that takes free text. */
  readonly input?: string | undefined;
}

/** A complete answer with one choice. */
export interface ObservedAnswer {
  /** Its text; absent if it is not known, or too long. */
  readonly text: string | undefined;
  /** True when it has content for its reader: text or media, not reasoning. */
  readonly hasContent: boolean;
  readonly isRefused: boolean;
  /** True when an output limit ended it. */
  readonly isCut: boolean;
  readonly calls: readonly ObservedCall[];
}

/** The form that a request demands of its answer. */
export interface ExpectedForm {
  /** JSON Schema of the answer's text. */
  readonly schema: unknown;
  /** Names of the tools that may be called; absent if they are not known. */
  readonly tools: ReadonlySet<string> | undefined;
}

/** Returns the form that a request demands. */
export function expectedFormOf(request: ChatRequest): ExpectedForm {
  const format: Readonly<Record<string, unknown>> = Object(request.response_format);
  const schema = format["type"] === "json_schema"
    ? Object(format["json_schema"]).schema ?? {}
    : format["type"] === "json_object"
    ? { type: "object" }
    : undefined;
  return { schema, tools: toolNames(request) };
}

function toolNames(request: ChatRequest): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const tool of request.tools ?? []) {
    const declared = Object(tool["function"] ?? tool["custom"]);
    // A tool of another kind may be called by a name that is not known here.
    if (typeof declared.name !== "string") return undefined;
    names.add(declared.name);
  }
  const functions = request["functions"];
  if (Array.isArray(functions)) {
    for (const one of functions) {
      names.add(String(Object(one).name));
    }
  }
  return names;
}

/** Returns the first sign that an answer is bad; `undefined` if there is none. */
export function alarmOf(answer: ObservedAnswer, form: ExpectedForm): Alarm | undefined {
  const { calls, text } = answer;
  if (answer.isRefused) return "refused";
  // The caller's limit cut it: no other sign is the model's.
  if (answer.isCut) return undefined;
  if (calls.slice(0, CALLS_MAX).some((call) => isMalformed(call, form))) return "tool_call";
  if (calls.length > 0) return undefined;
  if (!answer.hasContent) return "empty";
  if (form.schema === undefined || text === undefined) return undefined;
  return breaks(form.schema, text) ? "schema" : undefined;
}

function isMalformed({ name, input }: ObservedCall, { tools }: ExpectedForm): boolean {
  if (tools?.has(name) === false) return true;
  // Some providers send nothing for a tool without input.
  if (input === undefined || input.trim() === "" || input.length > CHECKED_CHARS_MAX) return false;
  return breaks({ type: "object" }, input);
}

function breaks(schema: unknown, text: string): boolean {
  if (text.length > CHECKED_CHARS_MAX) return false;
  try {
    return violates(schema, JSON.parse(text));
  } catch {
    return true;
  }
}
