/**
 * The end of a streamed chat answer: its finishes, its usage, and what the service says of the call.
 *
 * @module
 */

import type { ChunkChoice, ServiceMetadata } from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { type ChatForm, metadataText } from "./form.ts";
import { editMembers, type MemberEdits } from "../json/text.ts";
import { chatUsageOf } from "./usage.ts";

/** The facts of a call that the end of its stream tells. */
export interface ChatClosing {
  readonly metadata: ServiceMetadata;
  /** As it was billed. */
  readonly usage: Usage;
  readonly createdSeconds: number;
  /** Members of every chunk: JSON texts. */
  readonly mark?: MemberEdits | undefined;
  /** Members of the chunks that carry the metadata. */
  readonly more?: MemberEdits | undefined;
}

/** The same with what the stream has shown so far. */
interface KnownClosing extends ChatClosing {
  /** Chunks with the finishes that are due; all of them where the last one carries the metadata. */
  readonly finishes: readonly string[];
  /** The upstream's own chunk with empty `choices`. */
  readonly usageChunk: string | undefined;
  /** JSON text of the usage that the upstream reported, where it is what was billed. */
  readonly usageText: string | undefined;
  /** JSON text of the model's name. */
  readonly model: string;
  /** A new chunk with empty `choices`. */
  chunk(): string;
}

/** True where usage and metadata ride on the last finish. */
export function endsByFinish({ dialect }: ChatForm): boolean {
  return dialect === "openai";
}

/** Some upstreams write an empty one into every chunk. */
export function isFinish(finish: unknown): finish is string {
  return typeof finish === "string" && finish !== "";
}

/** True where a choice of a chunk says that it ends, and nothing else. */
export function isBareFinish({ delta, finish_reason: finish }: ChunkChoice): boolean {
  return isFinish(finish) && !Object.values(delta ?? {}).some(isSaid);
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** The chunks of a clean end. */
export function closingChunks(form: ChatForm, end: KnownClosing): string[] {
  const { metadata, mark = {} } = end;
  const chunks = end.finishes.map((chunk) => editMembers(chunk, mark));
  const usage = end.usageText ?? JSON.stringify(chatUsageOf(end.usage));
  const told = { ...mark, ...end.more, metadata: metadataText(form, metadata) };
  if (endsByFinish(form)) {
    const finish = chunks.pop();
    invariant(finish !== undefined, "Cannot end a chat stream without a finish");
    // The usage is told once.
    chunks.push(editMembers(finish, { ...told, usage: form.hasUsageChunk ? "null" : usage }));
  }
  if (!form.hasUsageChunk) return chunks;
  const edits = { model: end.model, ...told, usage };
  return [...chunks, editMembers(end.usageChunk ?? end.chunk(), edits)];
}
