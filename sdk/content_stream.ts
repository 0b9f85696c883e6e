import { type Answer, tooLong } from "./answer.ts";
import { LONGEST_ANSWER_BYTES } from "./answer_limits.ts";
import type { CallLimit } from "./call_limit.ts";

/**
 * Returns the bytes of an answer as they come. Its errors are those of the library, also when the
 * call ends by its time limit or its signal. The end of the stream, whatever it is, ends the call.
 */
export function contentOf(
  answer: Answer,
  limit: CallLimit,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Held until the end: the signal of `fetch` reaches a body only as long as its response lives.
  const { response } = answer;
  const reader = (response.body ?? new Blob().stream()).getReader();
  let length = 0;
  // Not awaited: a body of the application's own `fetch` may never settle.
  const stop = () => void reader.cancel().catch(() => {});
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await limit.guard(reader.read());
        if (!done) {
          length += value.byteLength;
          if (length > LONGEST_ANSWER_BYTES) throw tooLong(LONGEST_ANSWER_BYTES);
          return controller.enqueue(value);
        }
      } catch (error) {
        stop();
        controller.error(limit.explain(error));
        return limit.end();
      }
      controller.close();
      limit.end();
    },
    cancel() {
      stop();
      limit.end();
    },
  }, { highWaterMark: 0 });
}
