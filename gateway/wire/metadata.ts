/**
 * The `metadata` of an answer as its caller's dialect has it.
 *
 * @module
 */

import type { Dialect } from "@svc/sdk/protocol";
import { editMembers, memberText } from "./json/text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Members that no caller's pair can be, and that are no strings. */
const OBJECTS: readonly string[] = ["routing", "billing"];

/**
 * The service's `metadata` beside the caller's `own` pairs. OpenAI's types map strings to strings:
 * there an object is its JSON text, and what is no pair of the caller's is left out.
 */
export function metadataIn(dialect: Dialect, metadata: Fields, own?: unknown): Fields {
  if (dialect === "service") return { ...Object(own), ...metadata };
  const pairs: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...Object(own), ...metadata })) {
    if (typeof value === "string") pairs[name] = value;
    else if (Object.hasOwn(metadata, name) && value !== undefined) {
      pairs[name] = JSON.stringify(value);
    }
  }
  return pairs;
}

/** An error's body, whose `metadata` tells what was tried. */
export function envelopeIn<Envelope extends object>(
  dialect: Dialect,
  envelope: Envelope,
): Envelope {
  const { metadata } = envelope as { readonly metadata?: Fields };
  if (dialect === "service" || metadata === undefined) return envelope;
  return { ...envelope, metadata: metadataIn(dialect, metadata) };
}

/** The JSON text of a response that was written in either dialect. */
export function rewrittenIn(dialect: Dialect, text: string): string {
  const written = memberText(text, "metadata");
  const metadata: unknown = written === undefined ? undefined : JSON.parse(written);
  if (typeof metadata !== "object" || metadata === null) return text;
  const service = Object.fromEntries(
    Object.entries(metadata).map(([name, value]) =>
      OBJECTS.includes(name) && typeof value === "string"
        ? [name, JSON.parse(value)]
        : [name, value]
    ),
  );
  return editMembers(text, { metadata: JSON.stringify(metadataIn(dialect, service)) });
}
