/**
 * Stands in for `@std/streams` where JSR cannot be reached.
 *
 * @module
 */
/** Options of {@linkcode TextLineStream}; the real one's `allowCR` is not used here. */
export type TextLineStreamOptions = Record<never, never>;

/**
 * Splits text at `\n` and `\r\n`. Each chunk is one line without its line break; the text after the
 * last line break is a line as well, unless it is empty.
 */
export class TextLineStream extends TransformStream<string, string> {
  /** Creates a stream that holds back at most one unfinished line. */
  constructor(_options?: TextLineStreamOptions) {
    let rest = "";
    super({
      transform(chunk, controller) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          controller.enqueue(line.endsWith("\r") ? line.slice(0, -1) : line);
        }
      },
      flush(controller) {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}
