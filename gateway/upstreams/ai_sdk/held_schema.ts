/**
 * Whether a provider's answer is held to the schema that was asked for. Of Claude's models some are,
 * and their packages know which: so what a package has written is looked at.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { isDeepStrictEqual } from "node:util";
import { parseObject } from "../openai_compatible/body.ts";
import { CANNOT_CARRY } from "./cannot_carry.ts";
import type { Notes } from "./notes.ts";

/**
 * Notes that a request asks for a strict schema, and its body, as the package has written it, does
 * not: it has none, or one without what the provider's decoder does not know.
 */
export function noteUnheldSchema(
  format: unknown,
  { body, notes }: { readonly body: string; readonly notes: Notes },
): void {
  if (CANNOT_CARRY[notes.kind].json_strict === undefined || !isJsonObject(format)) return;
  const { json_schema: asked } = format;
  if (format["type"] !== "json_schema" || !isJsonObject(asked) || asked["strict"] !== true) return;
  if (isDeepStrictEqual(schemaOf(body), described(asked))) return;
  notes.allows("json_strict", "response_format.json_schema.strict");
}

/**
 * The schema of a format with the words that describe the whole of it: where only Chat has a place
 * for those, they stand in the schema.
 */
export function described(
  { schema, description }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own = isJsonObject(schema) ? schema : { type: "object" };
  if (typeof description !== "string" || description === "") return { ...own };
  const { description: more } = own;
  const words = typeof more === "string" && more !== "" ? `${description}\n\n${more}` : description;
  return { ...own, description: words };
}

/** What a request holds its answer to, on either of Claude's wires. */
function schemaOf(body: string): unknown {
  const value = parseObject(body) ?? {};
  const fields = value["additionalModelRequestFields"] ?? value;
  const config = isJsonObject(fields) ? fields["output_config"] : undefined;
  const format = isJsonObject(config) ? config["format"] : undefined;
  return isJsonObject(format) ? format["schema"] : undefined;
}
