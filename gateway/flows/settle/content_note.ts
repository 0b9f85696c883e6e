import { Buffer } from "node:buffer";
import { redacted } from "../../domain/redaction/redact.ts";
import type { ContentRecord } from "../../ports/request_log.ts";

/** Most that is kept of what was said either way, in bytes of JSON. */
export const CONTENT_BYTES_MAX = 16 * 1024;

/** What was said in one call. */
export interface Said {
  /** All text that the model read. Made where it is asked for. */
  readonly inputText: () => string;
  /** What its caller has had, piece by piece. */
  readonly delivered: () => readonly string[];
}

/**
 * What is kept of a request's content: what its first model read, and what its caller was told by all
 * of them, each without secrets and up to {@linkcode CONTENT_BYTES_MAX}.
 */
export function noteContent(before: ContentRecord | undefined, said: Said): ContentRecord {
  const prompt = before === undefined ? said.inputText() : undefined;
  const answer = beginningOf(said.delivered(), before?.answer);
  const kept = {
    prompt: prompt === undefined
      ? before?.prompt ?? ""
      : bounded(redacted(prompt, CONTENT_BYTES_MAX)),
    answer: bounded(redacted(answer, CONTENT_BYTES_MAX)),
  };
  const isCut = kept.answer.length < answer.length && answer.length > CONTENT_BYTES_MAX ||
    (prompt?.length ?? 0) > CONTENT_BYTES_MAX || isFull(kept.prompt) || isFull(kept.answer);
  return { ...kept, isCut: isCut || (before?.isCut ?? false) };
}

/** No more of the pieces than can be kept, and a little beyond it: what is cut off must be seen. */
function beginningOf(pieces: readonly string[], before = ""): string {
  let text = before === "" ? "" : `${before}\n\n`;
  for (const piece of pieces) {
    if (text.length > 2 * CONTENT_BYTES_MAX) break;
    text += piece;
  }
  return text;
}

function isFull(text: string): boolean {
  return bytesOf(text) > CONTENT_BYTES_MAX - 64;
}

/** As much of a text as fits when it is written as JSON. */
function bounded(text: string): string {
  let kept = text;
  for (let bytes = bytesOf(kept); bytes > CONTENT_BYTES_MAX; bytes = bytesOf(kept)) {
    kept = kept.slice(0, Math.floor(kept.length * CONTENT_BYTES_MAX / bytes) - 1);
  }
  return kept.toWellFormed();
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
