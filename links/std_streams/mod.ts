/**
 * Stands in for `@std/streams` where JSR cannot be reached.
 *
 * @module
 */
import { text } from "node:stream/consumers";

/** Reads a stream of bytes or of strings to its end as one text. */
export function toText(
  stream: ReadableStream<string> | ReadableStream<Uint8Array>,
): Promise<string> {
  return text(stream);
}
