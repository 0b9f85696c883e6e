/**
 * The live tail: rows of the request log as they are written.
 *
 * @module
 */

import { LINES_TYPE } from "../../admin_api/operation.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { matches } from "../../domain/requests/filter.ts";
import type { RequestFilter, RequestRecord } from "../../ports/request_log.ts";
import { afterMs } from "../../system/deadlines.ts";
import { SSE_KEEP_ALIVE } from "../../wire/sse.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { jsonLine } from "../ndjson.ts";
import { summaryJson } from "./request_json.ts";

/** Tails that may be open at once. */
export const TAILS_MAX = 8;
/** Rows that wait for a reader; of more the oldest are lost, and it is told how many. */
export const TAIL_ROWS_MAX = 256;
/** Silence after which a comment is sent, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;
/** When to try again where all tails are in use, in milliseconds. */
const RETRY_MS = 5_000;

/** The tails that are open. */
export class RequestTails {
  readonly #deps: Pick<AdminDeps, "clock" | "log" | "closing">;
  #open = 0;

  constructor(deps: Pick<AdminDeps, "clock" | "log" | "closing">) {
    this.#deps = deps;
  }

  /**
   * Begins a stream of server-sent events, or for a client that accepts lines one of JSON lines;
   * throws where too many are open.
   */
  open(context: AdminContext, filter: RequestFilter): Response {
    if (this.#open >= TAILS_MAX) {
      throw new ServiceFault("rate_limit_exceeded", {
        message: `${TAILS_MAX} tails are open already; close one of them`,
        retryAfterMs: RETRY_MS,
      });
    }
    this.#open++;
    const onEnd = () => void this.#open--;
    const asLines = context.req.header("accept")?.includes(LINES_TYPE) === true;
    const words = asLines ? LINES : EVENTS;
    const tail = new RequestTail({ ...this.#deps, filter, words, onEnd });
    const body = new ReadableStream<Uint8Array>(tail, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": words.mediaType } });
  }
}

/** How a tail is written. */
interface TailWords {
  readonly mediaType: string;
  /** Says nothing, so that headers leave and connections stay. */
  readonly keepAlive: string;
  row(record: RequestRecord): string;
  lost(rows: number): string;
}

const EVENTS: TailWords = {
  mediaType: "text/event-stream",
  keepAlive: SSE_KEEP_ALIVE,
  row: (record) => `event: request\ndata: ${JSON.stringify(summaryJson(record))}\n\n`,
  lost: (rows) => `event: lost\ndata: ${JSON.stringify({ rows })}\n\n`,
};

const LINES: TailWords = {
  mediaType: LINES_TYPE,
  keepAlive: jsonLine({ keepAlive: true }),
  row: (record) => jsonLine({ request: summaryJson(record) }),
  lost: (rows) => jsonLine({ lost: { rows } }),
};

/** One tail, at the pace of its reader. */
class RequestTail implements UnderlyingDefaultSource<Uint8Array> {
  readonly #encoder = new TextEncoder();
  readonly #onEnd: () => void;
  readonly #closing: AbortSignal | undefined;
  readonly #filter: RequestFilter;
  readonly #log: AdminDeps["log"];
  readonly #words: TailWords;
  #rows: RequestRecord[] = [];
  #lost = 0;
  #unwatch: () => void = () => {};
  #wake: () => void = () => {};
  #isOver = false;

  constructor(
    options: Pick<AdminDeps, "log" | "closing"> & {
      readonly filter: RequestFilter;
      readonly words: TailWords;
      readonly onEnd: () => void;
    },
  ) {
    this.#log = options.log;
    this.#closing = options.closing;
    this.#filter = options.filter;
    this.#words = options.words;
    this.#onEnd = options.onEnd;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#unwatch = this.#log.watch((record) => this.#take(record));
    this.#closing?.addEventListener("abort", this.#end);
    if (this.#closing?.aborted) this.#end();
    // Headers leave with the first byte.
    controller.enqueue(this.#encoder.encode(this.#words.keepAlive));
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const isSilent = await this.#wait();
    if (this.#rows.length > 0 || this.#lost > 0) {
      controller.enqueue(this.#encoder.encode(this.#takeEvents()));
    } else if (this.#isOver) controller.close();
    else if (isSilent) controller.enqueue(this.#encoder.encode(this.#words.keepAlive));
  }

  cancel(): void {
    this.#end();
  }

  #take(record: RequestRecord): void {
    if (!matches(record, this.#filter)) return;
    if (this.#rows.length === TAIL_ROWS_MAX) {
      this.#rows.shift();
      this.#lost++;
    }
    this.#rows.push(record);
    this.#wake();
  }

  /** Resolves when there is something to say; says whether it was silent for long. */
  #wait(): Promise<boolean> {
    if (this.#rows.length > 0 || this.#isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      const callOff = afterMs(KEEP_ALIVE_MS, () => resolve(true));
      this.#wake = () => {
        callOff();
        resolve(false);
      };
    });
  }

  #takeEvents(): string {
    const lost = this.#lost === 0 ? "" : this.#words.lost(this.#lost);
    const rows = this.#rows.map((record) => this.#words.row(record));
    this.#lost = 0;
    this.#rows = [];
    return lost + rows.join("");
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unwatch();
    this.#closing?.removeEventListener("abort", this.#end);
    this.#onEnd();
    this.#wake();
  };
}
