import type { Dialect, ServiceMetadata } from "@svc/sdk/protocol";
import { metadataIn } from "../metadata.ts";

/** The form of an answer of Chat Completions: by its caller's dialect, and as its request asks. */
export interface ChatForm {
  readonly dialect: Dialect;
  /** True where a stream has a chunk with empty `choices` that carries the usage. */
  readonly hasUsageChunk: boolean;
  /** The caller's own `metadata`. */
  readonly own?: unknown;
}

/** The interface as it is specified. */
export const SERVICE_FORM: ChatForm = { dialect: "service", hasUsageChunk: true };

/** The form of the answer to a chat request. */
export function chatFormOf(
  dialect: Dialect,
  { stream_options: options, metadata: own }: Readonly<Record<string, unknown>>,
): ChatForm {
  if (dialect === "service") return SERVICE_FORM;
  return { dialect, hasUsageChunk: Object(options).include_usage === true, own };
}

/** The `metadata` of an answer, as its caller is told it. */
export function toldMetadata(
  { dialect, own }: ChatForm,
  metadata: ServiceMetadata,
): Readonly<Record<string, unknown>> {
  return metadataIn(dialect, metadata, own);
}

/** Its JSON text. */
export function metadataText(form: ChatForm, metadata: ServiceMetadata): string {
  return JSON.stringify(toldMetadata(form, metadata));
}
