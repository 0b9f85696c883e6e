/**
 * The end of a streamed chat answer: its finishes, its usage and the metadata.
 *
 * @module
 */

import type { ChunkChoice, ServiceMetadata } from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { type ChatForm, metadataText } from "./form.ts";
import { editMembers, type MemberEdits } from "../json/text.ts";
import { chatUsageOf } from "./usage.ts";

/** Facts of a call for the end of its stream. */
export interface ChatClosing {
  readonly metadata: ServiceMetadata;
  /** Billed usage. */
  readonly usage: Usage;
  readonly createdSeconds: number;
  /** Members of every chunk: JSON texts. */
  readonly mark?: MemberEdits | undefined;
  /** Members of the chunks with the metadata: JSON texts. */
  readonly more?: MemberEdits | undefined;
}

/** These facts, with those of the stream so far. */
interface KnownClosing extends ChatClosing {
  /**
   * Chunks with missing finishes; all chunks with finishes where the last one carries the metadata.
   */
  readonly finishes: readonly string[];
  /** The upstream's own chunk with empty `choices`. */
  readonly usageChunk: string | undefined;
  /** JSON text of the reported usage, where that was billed. */
  readonly usageText: string | undefined;
  /** JSON text of the model's name. */
  readonly model: string;
  /** Returns a new chunk with empty `choices`. */
  chunk(): string;
}

/** True when the last finish carries usage and metadata. */
export function endsByFinish({ dialect }: ChatForm): boolean {
  return dialect === "openai";
}

/** True for a finish reason; some upstreams write an empty one into every chunk. */
export function isFinish(finish: unknown): finish is string {
  return typeof finish === "string" && finish !== "";
}

/** True when a choice of a chunk only ends. */
export function isBareFinish({ delta, finish_reason: finish }: ChunkChoice): boolean {
  return isFinish(finish) && !Object.values(delta ?? {}).some(isSaid);
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** Returns the chunks of a clean end. */
export function closingChunks(form: ChatForm, end: KnownClosing): string[] {
  const { metadata, mark = {} } = end;
  const chunks = end.finishes.map((chunk) => editMembers(chunk, mark));
  const usage = end.usageText ?? JSON.stringify(chatUsageOf(end.usage));
  const closing = { ...mark, ...end.more, metadata: metadataText(form, metadata) };
  if (endsByFinish(form)) {
    const finish = chunks.pop();
    invariant(finish !== undefined, "Cannot end a chat stream without a finish");
    // The usage is sent once.
    chunks.push(editMembers(finish, { ...closing, usage: form.hasUsageChunk ? "null" : usage }));
  }
  if (!form.hasUsageChunk) return chunks;
  const edits = { model: end.model, ...closing, usage };
  return [...chunks, editMembers(end.usageChunk ?? end.chunk(), edits)];
}
