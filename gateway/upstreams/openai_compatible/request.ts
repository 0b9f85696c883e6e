import { isJsonObject } from "@svc/sdk/protocol";
import { OUTPUT_LIMIT_FIELDS, type OutputLimitField } from "../../domain/catalog/catalog.ts";
import { invariant } from "../../domain/invariant.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { editMembers, type MemberEdits, members } from "../../wire/json/text.ts";
import type { OpenAIProtocol } from "../providers/descriptor.ts";
import { wantsSignedCalls, withForeignCalls } from "./gemini_calls.ts";
import { withoutMessagesMembers } from "./messages_members.ts";

/**
 * Returns the caller's text with the upstream's model name, the output limit in the field that the
 * upstream takes, and `include_usage` on streams. For Gemini models, earlier calls that they have not
 * signed are marked. Members that only Messages know, and empty lists of declarations, are removed.
 * Every other byte is the caller's.
 */
export function chatRequestText(call: UpstreamCall, upstream: ChatWire): string {
  const edits: Record<string, string | undefined> = {
    model: JSON.stringify(call.model),
    ...limitEdits(call, upstream),
    ...emptyEdits(call.body.value),
  };
  if (call.stream) {
    const options = streamOptions(call.body.text, call.body.value["stream_options"]);
    if (options !== undefined) edits["stream_options"] = options;
  }
  const { mayServeGemini, refusesCacheControl } = upstream.protocol;
  const isGemini = mayServeGemini === true && wantsSignedCalls(call.model);
  const text = isGemini ? withForeignCalls(call.body) : call.body.text;
  const { value } = call.body;
  return editMembers(withoutMessagesMembers(text, { value, refusesCacheControl }), edits);
}

/** Settings of an upstream that chat requests depend on. */
export interface ChatWire {
  readonly protocol: OpenAIProtocol;
  /** The operator's choice. */
  readonly outputLimitField?: OutputLimitField | undefined;
}

/**
 * Returns the edits that put the output limit, the caller's or a lower one, into the field that the
 * upstream takes. Many compatible servers know only `max_tokens` and ignore unknown fields, so they
 * get that field too unless the operator has configured one.
 */
function limitEdits(
  { body: { value }, outputLimit }: UpstreamCall,
  { protocol, outputLimitField }: ChatWire,
): MemberEdits {
  const limits = OUTPUT_LIMIT_FIELDS.flatMap((field) =>
    typeof value[field] === "number" ? [[field, value[field]] as const] : []
  );
  // An answer within the smaller of two limits is within both.
  const limit = outputLimit ?? Math.min(...limits.map(([, tokens]) => tokens));
  if (limit === Infinity) return {};
  const text = String(limit);
  const only = outputLimitField ?? protocol.outputLimitField;
  if (only === undefined) {
    const fields = limits.map(([field]) => field);
    if (outputLimit !== undefined) fields.push("max_tokens");
    else if (!fields.includes("max_tokens")) return { max_tokens: text };
    else return {};
    return Object.fromEntries(fields.map((field) => [field, text]));
  }
  const [first, ...others] = limits;
  if (outputLimit === undefined && first?.[0] === only && others.length === 0) return {};
  return Object.fromEntries(
    OUTPUT_LIMIT_FIELDS.map((field) => [field, field === only ? text : undefined]),
  );
}

/** Lists of declarations, with the members that OpenAI accepts only beside them. */
const DECLARATIONS = [
  { list: "functions", choice: "function_call", beside: [] },
  { list: "tools", choice: "tool_choice", beside: ["parallel_tool_calls"] },
] as const;

/**
 * Removes empty lists of declarations, as the client library sends one to have no default tools.
 * OpenAI refuses them, and also fields that require a list which is missing. A choice that forces a
 * call stays, since it cannot be fulfilled.
 */
function emptyEdits(value: Readonly<Record<string, unknown>>): MemberEdits {
  const edits: Record<string, undefined> = {};
  for (const { list, choice, beside } of DECLARATIONS) {
    const declared = value[list];
    if (!Array.isArray(declared) || declared.length > 0) continue;
    const chosen = value[choice];
    const isFree = chosen == null || chosen === "auto" || chosen === "none";
    for (const name of [list, ...beside, ...(isFree ? [choice] : [])]) edits[name] = undefined;
  }
  return edits;
}

/** Returns the new text of `stream_options`; `undefined` where it requests usage already. */
function streamOptions(text: string, value: unknown): string | undefined {
  if (!isJsonObject(value)) return '{"include_usage":true}';
  if (value["include_usage"] === true) return undefined;
  // The last duplicate counts, as in the parse.
  const member = members(text).findLast(({ key }) => key === "stream_options");
  invariant(member !== undefined, "Cannot find stream_options in the text they were parsed from");
  const options = text.slice(member.valueStart, member.valueEnd);
  return editMembers(options, { include_usage: "true" });
}
