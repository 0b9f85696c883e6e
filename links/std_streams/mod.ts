/** Stands in for `@std/streams` where JSR cannot be reached. */
import { text } from "node:stream/consumers";

/** Reads a stream to its end as UTF-8 text. */
export function toText(stream: ReadableStream): Promise<string> {
  return text(stream);
}
