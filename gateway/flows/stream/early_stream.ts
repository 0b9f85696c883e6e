/**
 * The beginning of a stream whose answer is planned first, which may take long.
 *
 * @module
 */

import type { ServiceFault } from "../../domain/fault.ts";
import { KEEP_ALIVE_MS } from "./answer_stream.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import type { RequestIdentity } from "../request/identity.ts";
import { afterMs } from "../../system/deadlines.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import { SSE_KEEP_ALIVE } from "../../wire/sse.ts";

/** Options of an early stream. */
export interface EarlyStreamOptions {
  /** Called when the head of the stream is sent before the answer has begun. */
  onHead?(): void;
  /** Called when the caller disconnects before the answer has begun. */
  onLeave(): void;
  /** Returns the last event of a stream whose answer never began. */
  failed(error: unknown): string;
  /** Maximum silence, in milliseconds. @default {KEEP_ALIVE_MS} */
  readonly silenceMs?: number | undefined;
}

/**
 * Returns the answer once it has begun. If `begin` calls its parameter to announce planning, and
 * the planning takes longer than {@linkcode KEEP_ALIVE_MS}, returns a stream of keep-alives that
 * continues with the answer: its status is 200 from then on, and a failure is its last event. Until
 * then a failure is thrown, as for any answer.
 */
export async function startedInTime(
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

/** Returns the answer if it begins before the next keep-alive is due. */
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

/** Keep-alives, followed by the bytes of the answer at the pace of their reader. */
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
    if (this.#reader === undefined) return controller.enqueue(this.#encoder.encode(SSE_KEEP_ALIVE));
    const { done, value } = await this.#reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  }

  async cancel(): Promise<void> {
    this.#isDisconnected = true;
    if (this.#reader !== undefined) return await this.#reader.cancel();
    this.#options.onLeave();
    // An answer that began all the same must learn that its reader has disconnected.
    const answer = await this.#answering.catch(() => undefined);
    if (answer?.kind === "stream") await answer.bytes.cancel();
  }

  /** Returns a reader of the answer; `undefined` if only a keep-alive can be sent. */
  async #reading(): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const answer = isFirst ? undefined : await within(this.#answering, this.#options);
    // `cancel` ends an answer that began after the caller disconnected.
    return answer?.kind === "stream" && !this.#isDisconnected
      ? answer.bytes.getReader()
      : undefined;
  }
}

/**
 * Returns the event that reports the failure of a stream that has not begun, in the form of the
 * endpoint.
 */
export function earlyFailure(
  fault: ServiceFault,
  { endpoint, dialect, requestId }: Pick<RequestIdentity, "dialect" | "endpoint" | "requestId">,
): string {
  const envelope = envelopeIn(dialect, fault.envelope(requestId));
  const { code, message, param } = envelope.error;
  const event = endpoint === "chat"
    ? { ...envelope, choices: [] }
    : { ...envelope, type: "error", code, message, param, sequence_number: 0 };
  return `data: ${JSON.stringify(event)}\n\n`;
}
