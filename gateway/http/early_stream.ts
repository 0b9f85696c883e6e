/**
 * The beginning of a stream that is long in coming, because it is planned first.
 *
 * @module
 */

import type { ServiceFault } from "../domain/fault.ts";
import { KEEP_ALIVE_MS } from "../flows/stream/answer_stream.ts";
import type { ModelAnswer } from "../flows/model_answer.ts";
import type { Caller } from "../flows/request_trace.ts";
import { afterMs } from "../system/deadlines.ts";
import { envelopeIn } from "../wire/metadata.ts";
import { SSE_KEEP_ALIVE } from "../wire/sse.ts";

/** What an early stream needs of its request. */
export interface EarlyStreamOptions {
  /** The head is sent, and the answer has not begun. */
  onHead?(): void;
  /** Nobody reads any more, and the answer has not begun. */
  onLeave(): void;
  /** The last words of a stream whose answer never began. */
  failed(error: unknown): string;
  /** Longest silence, in milliseconds. @default {KEEP_ALIVE_MS} */
  readonly silenceMs?: number | undefined;
}

/**
 * The answer, once it has begun. Where `begin` says that it is planned, and that takes longer than
 * {@linkcode KEEP_ALIVE_MS}, it is a stream of keep-alives until it begins: its status is 200 from
 * there on, and what goes wrong is its last event. Until then a failure is thrown, as that of any
 * answer.
 */
export async function beganInTime(
  begin: (onPlanning: () => void) => Promise<ModelAnswer>,
  options: EarlyStreamOptions,
): Promise<ModelAnswer> {
  const { silenceMs = KEEP_ALIVE_MS } = options;
  let callOff = () => {};
  let isBegun = false;
  const silence = Promise.withResolvers<undefined>();
  const answering = begin(() => {
    if (!isBegun) callOff = afterMs(silenceMs, () => silence.resolve(undefined));
  });
  try {
    const answer = await Promise.race([answering, silence.promise]);
    if (answer !== undefined) return answer;
  } finally {
    isBegun = true;
    callOff();
  }
  options.onHead?.();
  const source = new EarlyStream(answering, options);
  return { kind: "stream", bytes: new ReadableStream(source, { highWaterMark: 0 }) };
}

/** What the answer is, where it is there before the next keep-alive is due. */
async function within(
  answering: Promise<ModelAnswer>,
  { silenceMs = KEEP_ALIVE_MS }: Pick<EarlyStreamOptions, "silenceMs">,
): Promise<ModelAnswer | undefined> {
  let callOff = () => {};
  const silence = new Promise<undefined>((resolve) => {
    callOff = afterMs(silenceMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([answering, silence]);
  } finally {
    callOff();
  }
}

/** Keep-alives, and then the answer's own bytes at the pace of their reader. */
class EarlyStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #answering: Promise<ModelAnswer>;
  readonly #options: EarlyStreamOptions;
  readonly #encoder = new TextEncoder();
  #isFirst = true;
  #isLeft = false;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(answering: Promise<ModelAnswer>, options: EarlyStreamOptions) {
    this.#answering = answering;
    this.#options = options;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      this.#reader ??= await this.#begun();
    } catch (error) {
      if (this.#isLeft) return;
      controller.enqueue(this.#encoder.encode(this.#options.failed(error)));
      return controller.close();
    }
    if (this.#isLeft) return;
    if (this.#reader === undefined) {
      return controller.enqueue(this.#encoder.encode(SSE_KEEP_ALIVE));
    }
    const { done, value } = await this.#reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  }

  async cancel(): Promise<void> {
    this.#isLeft = true;
    if (this.#reader !== undefined) return await this.#reader.cancel();
    this.#options.onLeave();
    // What has begun in spite of it is told that nobody reads it.
    const answer = await this.#answering.catch(() => undefined);
    if (answer?.kind === "stream") await answer.bytes.cancel();
  }

  /** A reader of the answer, or nothing where only a keep-alive can be said. */
  async #begun(): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const answer = isFirst ? undefined : await within(this.#answering, this.#options);
    // Whoever has left ends what began in spite of it.
    return answer?.kind === "stream" && !this.#isLeft ? answer.bytes.getReader() : undefined;
  }
}

/** The event by which a stream that has not begun says what went wrong: of Chat, or of Responses. */
export function earlyFailure(
  fault: ServiceFault,
  { endpoint, dialect, requestId }: Pick<Caller, "dialect" | "endpoint" | "requestId">,
): string {
  const envelope = envelopeIn(dialect, fault.envelope(requestId));
  const { code, message, param } = envelope.error;
  const said = endpoint === "chat"
    ? { ...envelope, choices: [] }
    : { ...envelope, type: "error", code, message, param, sequence_number: 0 };
  return `data: ${JSON.stringify(said)}\n\n`;
}
