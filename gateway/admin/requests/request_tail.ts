/**
 * The live tail: rows of the request log as they are written.
 *
 * @module
 */

import { LINES_TYPE } from "../../admin_api/operation.ts";
import { accepts } from "@std/http/negotiation";
import { ServiceFault } from "../../domain/fault.ts";
import { matches } from "../../domain/requests/filter.ts";
import type { RequestFilter, RequestRecord } from "../../ports/request_log.ts";
import { afterMs } from "../../system/deadlines.ts";
import { SSE_KEEP_ALIVE } from "../../wire/sse.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { jsonLine } from "../ndjson.ts";
import { summaryJson } from "./request_json.ts";

/** Maximum number of open tails. */
export const TAILS_MAX = 8;
/** Maximum number of rows that wait for a reader; the oldest beyond it are dropped and counted. */
export const TAIL_ROWS_MAX = 256;
/** Silence after which a keep-alive is sent, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;
/** Time after which the token is checked again before anything more is sent, in milliseconds. */
const RECHECK_MS = 60_000;
/** Advised wait where all tails are in use, in milliseconds. */
const RETRY_MS = 5_000;

/** The open tails. */
export class RequestTails {
  readonly #deps: Pick<AdminDeps, "clock" | "log" | "closing">;
  #open = 0;

  constructor(deps: Pick<AdminDeps, "clock" | "log" | "closing">) {
    this.#deps = deps;
  }

  /**
   * Opens a stream of server-sent events, or of JSON lines for a client that accepts them. Throws
   * where too many are open. It ends once `mayGoOn` says so.
   */
  open(
    context: AdminContext,
    { filter, mayGoOn }: Pick<TailOptions, "filter" | "mayGoOn">,
  ): Response {
    if (this.#open >= TAILS_MAX) {
      throw new ServiceFault("rate_limit_exceeded", {
        message: `${TAILS_MAX} tails are open already; close one of them`,
        retryAfterMs: RETRY_MS,
      });
    }
    this.#open++;
    const onEnd = () => void this.#open--;
    const asLines = accepts(context.req.raw, EVENTS.mediaType, LINES_TYPE) === LINES_TYPE;
    const format = asLines ? LINES : EVENTS;
    const tail = new RequestTail({ ...this.#deps, filter, format, mayGoOn, onEnd });
    const body = new ReadableStream<Uint8Array>(tail, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": format.mediaType } });
  }
}

/** The format of a tail. */
interface TailFormat {
  readonly mediaType: string;
  /** Has no content: makes the headers leave and keeps the connection open. */
  readonly keepAlive: string;
  row(record: RequestRecord): string;
  lost(rows: number): string;
}

const EVENTS: TailFormat = {
  mediaType: "text/event-stream",
  keepAlive: SSE_KEEP_ALIVE,
  row: (record) => `event: request\ndata: ${JSON.stringify(summaryJson(record))}\n\n`,
  lost: (rows) => `event: lost\ndata: ${JSON.stringify({ rows })}\n\n`,
};

const LINES: TailFormat = {
  mediaType: LINES_TYPE,
  keepAlive: jsonLine({ keepAlive: true }),
  row: (record) => jsonLine({ request: summaryJson(record) }),
  lost: (rows) => jsonLine({ lost: { rows } }),
};

interface TailOptions extends Pick<AdminDeps, "clock" | "log" | "closing"> {
  readonly filter: RequestFilter;
  readonly mayGoOn: () => Promise<boolean>;
  readonly format: TailFormat;
  readonly onEnd: () => void;
}

/** One tail, at the pace of its reader. */
class RequestTail implements UnderlyingDefaultSource<Uint8Array> {
  readonly #encoder = new TextEncoder();
  readonly #options: TailOptions;
  #rows: RequestRecord[] = [];
  #lost = 0;
  #unwatch: () => void = () => {};
  #wake: () => void = () => {};
  #isOver = false;
  #checkedMs: number;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#checkedMs = options.clock.monotonicMs();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#unwatch = this.#options.log.watch((record) => this.#take(record));
    this.#options.closing?.addEventListener("abort", this.#end);
    if (this.#options.closing?.aborted) this.#end();
    // Headers leave with the first byte.
    controller.enqueue(this.#encoder.encode(this.#options.format.keepAlive));
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const isSilent = await this.#wait();
    await this.#recheck();
    if (this.#rows.length > 0 || this.#lost > 0) {
      controller.enqueue(this.#encoder.encode(this.#takeEvents()));
    } else if (this.#isOver) controller.close();
    else if (isSilent) controller.enqueue(this.#encoder.encode(this.#options.format.keepAlive));
  }

  cancel(): void {
    this.#end();
  }

  #take(record: RequestRecord): void {
    if (!matches(record, this.#options.filter)) return;
    if (this.#rows.length === TAIL_ROWS_MAX) {
      this.#rows.shift();
      this.#lost++;
    }
    this.#rows.push(record);
    this.#wake();
  }

  /** Ends the tail, without the rows that wait, once its reader may see no more. */
  async #recheck(): Promise<void> {
    const { clock, mayGoOn } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#isOver || nowMs - this.#checkedMs < RECHECK_MS) return;
    this.#checkedMs = nowMs;
    if (await mayGoOn()) return;
    this.#end();
    this.#rows = [];
    this.#lost = 0;
  }

  /** Waits for rows or the end; resolves to true after a long silence. */
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
    const lost = this.#lost === 0 ? "" : this.#options.format.lost(this.#lost);
    const rows = this.#rows.map((record) => this.#options.format.row(record));
    this.#lost = 0;
    this.#rows = [];
    return lost + rows.join("");
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unwatch();
    this.#options.closing?.removeEventListener("abort", this.#end);
    this.#options.onEnd();
    this.#wake();
  };
}
