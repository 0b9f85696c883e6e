import type { Dialect, ServiceMetadata } from "@svc/sdk/protocol";
import { metadataIn } from "../metadata.ts";

/** Form of a Chat Completions answer, from the caller's dialect and the request. */
export interface ChatForm {
  readonly dialect: Dialect;
  /** True where a stream has a chunk with empty `choices` that carries the usage. */
  readonly hasUsageChunk: boolean;
  /** The caller's own `metadata`. */
  readonly own?: unknown;
}

/** The form that the service's interface specifies. */
export const SERVICE_FORM: ChatForm = { dialect: "service", hasUsageChunk: true };

/** Returns the form of the answer to a chat request. */
export function chatFormOf(
  dialect: Dialect,
  { stream_options: options, metadata: own }: Readonly<Record<string, unknown>>,
): ChatForm {
  if (dialect === "service") return SERVICE_FORM;
  return { dialect, hasUsageChunk: Object(options).include_usage === true, own };
}

/** Returns the `metadata` of an answer in the caller's dialect. */
export function metadataOf(
  { dialect, own }: ChatForm,
  metadata: ServiceMetadata,
): Readonly<Record<string, unknown>> {
  return metadataIn(dialect, metadata, own);
}

/** Returns the JSON text of the `metadata`. */
export function metadataText(form: ChatForm, metadata: ServiceMetadata): string {
  return JSON.stringify(metadataOf(form, metadata));
}
