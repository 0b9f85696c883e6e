/**
 * Known members of the objects in a chat request. Other members are left out, and the answer says
 * so.
 *
 * @module
 */

import type { Notes } from "./notes.ts";

const MESSAGE = ["role", "content", "name", "cache_control"];
const PART = ["type", "cache_control"];

/** Members that are translated, are handled elsewhere, or repeat what an answer contained. */
const KNOWN = {
  system: MESSAGE,
  developer: MESSAGE,
  user: MESSAGE,
  assistant: [
    ...[...MESSAGE, "tool_calls", "refusal", "audio", "function_call"],
    ...["extra_content", "thought_signature", "annotations", "parsed"],
    ...["reasoning", "reasoning_content", "reasoning_details"],
  ],
  tool: [...MESSAGE, "tool_call_id", "is_error"],
  text: [...PART, "text"],
  refusal: [...PART, "refusal"],
  image_url: [...PART, "image_url"],
  "image_url.image_url": ["url", "detail"],
  file: [...PART, "file"],
  "file.file": ["file_data", "file_id", "filename"],
  input_audio: [...PART, "input_audio"],
  "input_audio.input_audio": ["data", "format"],
  tool_call: ["id", "type", "function", "index", "extra_content", "thought_signature"],
  "tool_call.function": ["name", "arguments", "parsed_arguments"],
  declaration: ["type", "function", "cache_control"],
  "declaration.function": ["name", "description", "parameters", "strict"],
  cache_control: ["type", "ttl"],
  stream_options: ["include_usage"],
  response_format: ["type", "json_schema"],
  "response_format.json_schema": ["name", "description", "schema", "strict"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** An object with known members: a message by its role, a part by its type. */
export type KnownObject = keyof typeof KNOWN;

/** Reports the members of an object that are not known; null counts as absent. */
export function reportUnknown(
  value: Readonly<Record<string, unknown>>,
  { of, path, notes }: { readonly of: KnownObject; readonly path: string; readonly notes: Notes },
): void {
  const known: readonly string[] = KNOWN[of];
  for (const [name, member] of Object.entries(value)) {
    if (member != null && !known.includes(name)) notes.allows("unknown", `${path}.${name}`);
  }
}
