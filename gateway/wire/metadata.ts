/**
 * The `metadata` of an answer, in its caller's dialect.
 *
 * @module
 */

import type { Dialect } from "@svc/sdk/protocol";
import { editMembers, memberText } from "./json/text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Members that are objects, and so never the caller's own pairs. */
const OBJECTS: readonly string[] = ["routing", "billing"];

/**
 * Returns the service's `metadata` beside the caller's `own` pairs. OpenAI's types map strings to
 * strings: there an object is its JSON text, and other members of the caller's are left out.
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

/** Returns an error's body, whose `metadata` has the attempts. */
export function envelopeIn<Envelope extends object>(
  dialect: Dialect,
  envelope: Envelope,
): Envelope {
  const { metadata } = envelope as { readonly metadata?: Fields };
  if (dialect === "service" || metadata === undefined) return envelope;
  return { ...envelope, metadata: metadataIn(dialect, metadata) };
}

/** Returns the JSON text, in a dialect, of a response that was written in either. */
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
