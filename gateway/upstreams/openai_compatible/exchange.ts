import type { UpstreamTimeouts } from "../../domain/catalog/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import { afterMs } from "../../system/deadlines.ts";
import { OneTimeBody } from "./one_time_body.ts";
import type { Reachability } from "./reachability.ts";

/** How long connections are kept: less than load balancers do, so that we close them first. */
export const POOL_IDLE_MS = 30_000;
/** The pool looks at its connections now and then only. */
const POOL_SLACK_MS = 5_000;

/** Why this side broke an exchange off. */
export type Stop = "cancelled" | "timeout" | "connect_failed";

/** What an exchange needs of its upstream. */
export interface ExchangeDeps {
  /** The platform's `fetch`. */
  readonly fetch: typeof fetch;
  /** Of the upstream's configuration. */
  readonly timeouts: UpstreamTimeouts;
  /** Measures them. */
  readonly clock: Clock;
  /** Of the upstream's host. */
  readonly host: Reachability;
}

/**
 * One request and its answer under the upstream's time limits and the caller's signal. Whoever makes
 * one calls `end` once the answer is read to its end, or else `abandon`.
 *
 * One timer serves all phases: a later deadline is only noted down, and looked up when the timer
 * fires, so that a request that nothing delays sets one timer and clears it.
 */
export class Exchange {
  readonly #caller: AbortSignal;
  readonly #deps: ExchangeDeps;
  readonly #controller = new AbortController();
  #stopped: Stop | undefined;
  #ended = false;
  #dial: AbortController | undefined;
  #callOff: (() => void) | undefined;
  // Deno lets go of a response whose body alone is read, and of the signal that ends it: once that
  // is collected, `abort` reaches nobody and the read waits for ever.
  #response: Response | undefined;
  #timerDueMs = Infinity;
  #dueMs = Infinity;
  #whenDue: () => void;

  /** Nothing is sent yet. */
  constructor(caller: AbortSignal, deps: ExchangeDeps) {
    this.#caller = caller;
    this.#deps = deps;
    this.#whenDue = this.#timeOut;
    if (caller.aborted) this.stop("cancelled");
    else caller.addEventListener("abort", this.#onCallerAbort);
  }

  /** Why this side broke off; `undefined` while it has not: then a failure is the other side's. */
  get stopped(): Stop | undefined {
    return this.#stopped;
  }

  /** Sends the request; resolves with its headers. The limit for the first byte goes on. */
  async open(url: string, init: RequestInit): Promise<Response> {
    const { connectMs, firstByteMs } = this.#deps.timeouts;
    const startedMs = this.#deps.clock.monotonicMs();
    const firstByteDueMs = startedMs + firstByteMs;
    if (connectMs < firstByteMs) {
      this.#expectUntil(startedMs + connectMs, () => this.#checkHost(startedMs, firstByteDueMs));
    } else this.#expectUntil(firstByteDueMs, this.#timeOut);
    const body = this.#sentOnce(init.body);
    const sent = body === undefined ? init : { ...init, body };
    const response = await this.#deps.fetch(url, { ...sent, signal: this.#controller.signal });
    this.#response = response;
    this.#deps.host.heard();
    this.#dial?.abort();
    this.#expectUntil(firstByteDueMs, this.#timeOut);
    return response;
  }

  /** Something is to arrive within the idle limit. */
  expect(): void {
    this.expectWithin(this.#deps.timeouts.idleMs);
  }

  /** Something is to arrive within so many milliseconds. */
  expectWithin(ms: number): void {
    this.#expectUntil(this.#deps.clock.monotonicMs() + ms, this.#timeOut);
  }

  /** Nothing is expected: it is this side that takes its time. */
  rest(): void {
    this.#dueMs = Infinity;
  }

  /** Breaks off at once: the connection is closed, pending reads reject. */
  stop(why: Stop): void {
    if (!this.#ended) this.#stopped = why;
    this.abandon();
  }

  /** As `stop`, where the answer is known already and what is left of it does not matter. */
  abandon(): void {
    this.end();
    this.#controller.abort();
  }

  /** Gives the timer and the caller's signal back. May be repeated. */
  end(): void {
    // Its connection may be kept from now on, not from when the answer began.
    if (this.#response !== undefined && !this.#ended) this.#deps.host.heard();
    this.#ended = true;
    this.#caller.removeEventListener("abort", this.#onCallerAbort);
    this.#dial?.abort();
    this.#callOff?.();
    this.#callOff = undefined;
  }

  /**
   * A body that is sent once. When a kept connection dies before the answer, `fetch` sends a text
   * again by itself, and a provider may then execute and bill a call twice; a blob is a stream with a
   * length, which it cannot send again. A connection that is refused leaves its stream behind: so it
   * is used only where a connection may have been kept.
   */
  #sentOnce(body: BodyInit | null | undefined): BodyInit | undefined {
    if (typeof body !== "string") return undefined;
    const mayReuse = this.#deps.host.heardWithin(POOL_IDLE_MS + POOL_SLACK_MS);
    return mayReuse ? new OneTimeBody(body) : undefined;
  }

  readonly #onCallerAbort = (): void => this.stop("cancelled");

  readonly #timeOut = (): void => this.stop("timeout");

  /** No headers within the time of a connection: is there anybody? */
  async #checkHost(startedMs: number, firstByteDueMs: number): Promise<void> {
    const { clock, host, timeouts } = this.#deps;
    const dial = this.#dial = new AbortController();
    this.#expectUntil(clock.monotonicMs() + timeouts.connectMs, () => this.stop("connect_failed"));
    const reachable = await host.check(startedMs, dial.signal);
    if (dial.signal.aborted) return;
    if (reachable) this.#expectUntil(firstByteDueMs, this.#timeOut);
    else this.stop("connect_failed");
  }

  #expectUntil(dueMs: number, whenDue: () => void): void {
    if (this.#ended) return;
    this.#dueMs = dueMs;
    this.#whenDue = whenDue;
    if (this.#callOff !== undefined && this.#timerDueMs <= dueMs) return;
    this.#callOff?.();
    this.#setTimer();
  }

  #setTimer(): void {
    this.#timerDueMs = this.#dueMs;
    const waitMs = Math.max(0, this.#dueMs - this.#deps.clock.monotonicMs());
    this.#callOff = afterMs(waitMs, this.#onTimer);
  }

  readonly #onTimer = (): void => {
    this.#callOff = undefined;
    if (this.#dueMs === Infinity) return;
    // Timers may fire a fraction of a millisecond early.
    if (this.#dueMs - this.#deps.clock.monotonicMs() < 1) this.#whenDue();
    else this.#setTimer();
  };
}
