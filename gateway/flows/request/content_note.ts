import { Buffer } from "node:buffer";
import { redacted } from "../../domain/redaction/redact.ts";
import type { ContentRecord } from "../../ports/request_log.ts";

/** Maximum kept size of the prompt, and of the answer, in bytes of JSON. */
export const CONTENT_BYTES_MAX = 16 * 1024;

/** The content of one call. */
export interface CallContent {
  /** Returns all text that the model read; built only when it is called. */
  readonly inputText: () => string;
  /** Returns the pieces of text that the caller received. */
  readonly delivered: () => readonly string[];
}

/**
 * Adds a call to the logged content of a request: the prompt is that of the first call, the answer
 * the text of all calls. Secrets are removed, and each is cut to {@linkcode CONTENT_BYTES_MAX}.
 */
export function noteContent(
  before: ContentRecord | undefined,
  content: CallContent,
): ContentRecord {
  const prompt = before === undefined ? content.inputText() : undefined;
  const answer = beginningOf(content.delivered(), before?.answer);
  const record = {
    prompt: prompt === undefined
      ? before?.prompt ?? ""
      : bounded(redacted(prompt, CONTENT_BYTES_MAX)),
    answer: bounded(redacted(answer, CONTENT_BYTES_MAX)),
  };
  const isCut = record.answer.length < answer.length && answer.length > CONTENT_BYTES_MAX ||
    (prompt?.length ?? 0) > CONTENT_BYTES_MAX || isFull(record.prompt) || isFull(record.answer);
  return { ...record, isCut: isCut || (before?.isCut ?? false) };
}

/** Joins pieces until a little more than the maximum, so that a cut can be detected. */
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

/** Returns the longest beginning of a text that fits when it is written as JSON. */
function bounded(text: string): string {
  let result = text;
  for (let bytes = bytesOf(result); bytes > CONTENT_BYTES_MAX; bytes = bytesOf(result)) {
    result = result.slice(0, Math.floor(result.length * CONTENT_BYTES_MAX / bytes) - 1);
  }
  return result.toWellFormed();
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
