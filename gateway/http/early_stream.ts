/** The beginning of a stream whose answer takes long because it is planned first.\n\n@module */

import type { ServiceFault } from "../domain/fault.ts";
import { KEEP_ALIVE_MS } from "../flows/stream/answer_stream.ts";
import type { ModelAnswer } from "../flows/model_answer.ts";
import type { Caller } from "../flows/request_trace.ts";
import { afterMs } from "../system/deadlines.ts";
import { envelopeIn } from "../wire/metadata.ts";
import { SSE_KEEP_ALIVE } from "../wire/sse.ts";

/** Options of {@linkcode beganInTime}. */
export interface EarlyStreamOptions {
  /** Called when the head is sent and the answer has not begun. */
  onHead?(): void;
  /** Called when the client disconnects before the answer has begun. */
  onLeave(): void;
  /** Returns the last event of a stream whose answer failed before it began. */
  failed(error: unknown): string;
  /** Maximum silence, in milliseconds. @default {KEEP_ALIVE_MS} */
  readonly silenceMs?: number | undefined;
}

/**
 * Returns the answer once it has begun. Where `begin` reports planning that takes longer than
 * {@linkcode KEEP_ALIVE_MS}, the answer is a stream of keep-alives until it begins: its status is
 * 200 from there on, and a failure is its last event. Before that a failure is thrown, as for any
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

/** Returns the answer if it is there before the next keep-alive is due. */
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

/** A stream of keep-alives, followed by the bytes of the answer at the pace of their reader. */
class EarlyStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #answering: Promise<ModelAnswer>;
  readonly #options: EarlyStreamOptions;
  readonly #encoder = new TextEncoder();
  #isFirst = true;
  #isDisconnected = false;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(answering: Promise<ModelAnswer>, options: EarlyStreamOptions) {
    this.#answering = answering;
    this.#options = options;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      this.#reader ??= await this.#reading();
    } catch (error) {
      if (this.#isDisconnected) return;
      controller.enqueue(this.#encoder.encode(this.#options.failed(error)));
      return controller.close();
    }
    if (this.#isDisconnected) return;
    if (this.#reader === undefined) {
      return controller.enqueue(this.#encoder.encode(SSE_KEEP_ALIVE));
    }
    const { done, value } = await this.#reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  }

  async cancel(): Promise<void> {
    this.#isDisconnected = true;
    if (this.#reader !== undefined) return await this.#reader.cancel();
    this.#options.onLeave();
    // An answer that begins all the same is cancelled.
    const answer = await this.#answering.catch(() => undefined);
    if (answer?.kind === "stream") await answer.bytes.cancel();
  }

  /** Returns a reader of the answer, or nothing where only a keep-alive can be sent. */
  async #reading(): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const answer = isFirst ? undefined : await within(this.#answering, this.#options);
    // An answer that begins after the client disconnected is not read.
    return answer?.kind === "stream" && !this.#isDisconnected
      ? answer.bytes.getReader()
      : undefined;
  }
}

/**
 * Returns the event that reports a failure in a stream that has not begun, of Chat or of Responses.
 */
export function earlyFailure(
  fault: ServiceFault,
  { endpoint, dialect, requestId }: Pick<Caller, "dialect" | "endpoint" | "requestId">,
): string {
  const envelope = envelopeIn(dialect, fault.envelope(requestId));
  const { code, message, param } = envelope.error;
  const event = endpoint === "chat"
    ? { ...envelope, choices: [] }
    : { ...envelope, type: "error", code, message, param, sequence_number: 0 };
  return `data: ${JSON.stringify(event)}\n\n`;
}
