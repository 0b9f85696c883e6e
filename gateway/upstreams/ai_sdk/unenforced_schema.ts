/**
 * Warnings about strict schemas that a provider does not enforce for the model. Claude's packages
 * know which models these are, so the request that the package has written is examined.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { isDeepStrictEqual } from "node:util";
import { parseObject } from "../openai_compatible/body.ts";
import type { Notes } from "./notes.ts";

/**
 * Warns if the package has removed a strict schema from the body it has written, or the keywords in
 * it that the provider's decoder does not support.
 */
export function noteUnenforcedSchema(
  format: unknown,
  { body, notes }: { readonly body: string; readonly notes: Notes },
): void {
  if (notes.format.lacks.json_strict === undefined || !isJsonObject(format)) return;
  const { json_schema: wanted } = format;
  if (format["type"] !== "json_schema" || !isJsonObject(wanted) || wanted["strict"] !== true) {
    return;
  }
  if (isDeepStrictEqual(schemaOf(body), described(wanted))) return;
  notes.allows("json_strict", "response_format.json_schema.strict");
}

/** Returns the schema of a format, with the format's description put before its own. */
export function described(
  { schema, description }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own = isJsonObject(schema) ? schema : { type: "object" };
  if (typeof description !== "string" || description === "") return { ...own };
  const { description: more } = own;
  const words = typeof more === "string" && more !== "" ? `${description}\n\n${more}` : description;
  return { ...own, description: words };
}

/** Returns the schema in a request body of either of Claude's packages. */
function schemaOf(body: string): unknown {
  const value = parseObject(body) ?? {};
  const fields = value["additionalModelRequestFields"] ?? value;
  const config = isJsonObject(fields) ? fields["output_config"] : undefined;
  const format = isJsonObject(config) ? config["format"] : undefined;
  return isJsonObject(format) ? format["schema"] : undefined;
}
