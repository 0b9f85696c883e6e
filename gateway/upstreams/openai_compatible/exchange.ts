import type { UpstreamTimeouts } from "../../domain/catalog/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import { UpstreamCut, type UpstreamFailure } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import type { SendPlain } from "../../system/outgoing.ts";
import type { PlainAnswer } from "../../system/plain_answer.ts";
import type { Stopping } from "../../system/plain_http.ts";
import { OneTimeBody } from "./one_time_body.ts";
import type { Reachability } from "./reachability.ts";

/**
 * Maximum idle time of a connection, in milliseconds: shorter than that of load balancers, so that
 * this side closes first.
 */
export const POOL_IDLE_MS = 30_000;
/** Interval at which the pool checks its connections, in milliseconds. */
const POOL_SLACK_MS = 5_000;

/** The reason why this side stopped an exchange. */
export type Stop = "cancelled" | "timeout" | "connect_failed";

/** A POST with a text. */
export interface TextPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Dependencies of an exchange. */
export interface ExchangeDeps {
  /** The platform's `fetch`. */
  readonly fetch: typeof fetch;
  /** Sends a POST over plain HTTP. @default {`fetch` does} */
  readonly plain?: SendPlain | undefined;
  /** Time limits of the upstream. */
  readonly timeouts: UpstreamTimeouts;
  /** Measures the time limits. */
  readonly clock: Clock;
  /** Reachability of the upstream's host. */
  readonly host: Reachability;
}

/**
 * One request and its answer under the upstream's time limits and the caller's signal. The creator
 * calls `end` after reading the whole answer, else `abandon`.
 *
 * One timer serves all phases: a later deadline is only noted, and read when the timer fires, so
 * that a request without delays sets one timer and clears it.
 */
export class Exchange implements Stopping {
  readonly #caller: AbortSignal;
  readonly #deps: ExchangeDeps;
  // Most exchanges over plain HTTP need none.
  #controller: AbortController | undefined;
  #whenStopped: (() => void) | undefined;
  #isAbandoned = false;
  #stopped: Stop | undefined;
  #ended = false;
  #dial: AbortController | undefined;
  #callOff: (() => void) | undefined;
  // Keeps the response alive: Deno would collect a response of which only the body is read, with
  // its signal, and after that `abort` has no effect and the read never ends.
  #response: unknown;
  #timerDueMs = Infinity;
  #dueMs = Infinity;
  #whenDue: () => void;

  /** Sends nothing yet. */
  constructor(caller: AbortSignal, deps: ExchangeDeps) {
    this.#caller = caller;
    this.#deps = deps;
    this.#whenDue = this.#timeOut;
    if (caller.aborted) this.stop("cancelled");
    else caller.addEventListener("abort", this.#onCallerAbort);
  }

  /**
   * Returns the reason why this side stopped the exchange; `undefined` where a failure is the
   * upstream's.
   */
  get stopped(): Stop | undefined {
    return this.#stopped;
  }

  /** Returns a signal that aborts when the exchange is stopped or abandoned. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAbandoned) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  get isStopped(): boolean {
    return this.#isAbandoned;
  }

  whenStopped(callback: () => void): void {
    if (this.#isAbandoned) callback();
    else this.#whenStopped = callback;
  }

  /** Sends the request and resolves with its headers. The limit for the first byte continues. */
  open(url: string, init: RequestInit): Promise<Response> {
    return this.#send(() => {
      const body = this.#sentOnce(init.body);
      const sent = body === undefined ? init : { ...init, body };
      return this.#deps.fetch(url, { ...sent, signal: this.signal });
    });
  }

  /** Does the same for a POST with a text, in the way that costs least. */
  post(url: string, request: TextPost): Promise<Response | PlainAnswer> {
    const { plain } = this.#deps;
    const { headers, body } = request;
    if (plain === undefined || !url.startsWith("http:")) {
      return this.open(url, { redirect: "manual", method: "POST", headers, body });
    }
    return this.#send(() => plain(url, { headers, body, stopping: this }));
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    const { connectMs, firstByteMs } = this.#deps.timeouts;
    const startedMs = this.#deps.clock.monotonicMs();
    const firstByteDueMs = startedMs + firstByteMs;
    if (connectMs < firstByteMs) {
      this.#expectUntil(startedMs + connectMs, () => this.#checkHost(startedMs, firstByteDueMs));
    } else this.#expectUntil(firstByteDueMs, this.#timeOut);
    const response = await send();
    this.#response = response;
    this.#deps.host.heard();
    this.#dial?.abort();
    this.#expectUntil(firstByteDueMs, this.#timeOut);
    return response;
  }

  /** Starts the idle limit for the next read. */
  expect(): void {
    this.expectWithin(this.#deps.timeouts.idleMs);
  }

  /** Starts a limit for the next read, in milliseconds. */
  expectWithin(ms: number): void {
    this.#expectUntil(this.#deps.clock.monotonicMs() + ms, this.#timeOut);
  }

  /** Ends the limit while nothing is read. */
  rest(): void {
    this.#dueMs = Infinity;
  }

  /** Stops at once: closes the connection and rejects pending reads. */
  stop(why: Stop): void {
    if (!this.#ended) this.#stopped = why;
    this.abandon();
  }

  /** Stops once the result is known and the rest of the answer does not matter. */
  abandon(): void {
    this.end();
    this.#isAbandoned = true;
    this.#controller?.abort();
    this.#whenStopped?.();
  }

  /** Releases the timer and the caller's signal. May be called again. */
  end(): void {
    // The connection is idle from now on, not from the start of the answer.
    if (this.#response !== undefined && !this.#ended) this.#deps.host.heard();
    this.#ended = true;
    this.#caller.removeEventListener("abort", this.#onCallerAbort);
    this.#dial?.abort();
    this.#callOff?.();
    this.#callOff = undefined;
  }

  /**
   * Wraps a body so that it is sent only once. If an idle connection dies before the answer,
   * `fetch` sends a text again, and a provider may then execute and bill a call twice; it cannot
   * send a blob's stream again. A refused connection leaves the stream open, so it is used only
   * where a connection may have been idle.
   */
  #sentOnce(body: BodyInit | null | undefined): BodyInit | undefined {
    if (typeof body !== "string") return undefined;
    const mayReuse = this.#deps.host.heardWithin(POOL_IDLE_MS + POOL_SLACK_MS);
    return mayReuse ? new OneTimeBody(body) : undefined;
  }

  readonly #onCallerAbort = (): void => this.stop("cancelled");

  readonly #timeOut = (): void => this.stop("timeout");

  /** Checks the host when no headers arrive within the limit for a connection. */
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

const STOP_MESSAGES: Readonly<Record<Stop, string>> = {
  cancelled: "The call was cancelled",
  timeout: "The upstream took too long",
  connect_failed: "The upstream takes no connection",
};

/** Returns the failure of a call that this side stopped. */
export function stoppedFailure(stop: Stop, status?: number): UpstreamFailure {
  return callFailure(stop, STOP_MESSAGES[stop], status);
}

/** Returns a failure before the first byte. */
export function callFailure(
  outcome: UpstreamFailure["outcome"],
  message: string,
  status?: number,
): UpstreamFailure {
  return { kind: "failure", outcome, status, message };
}

/** Returns the error of a stream whose body could not be read to its end. */
export function cutBy({ stopped }: Exchange, cause: unknown): UpstreamCut {
  if (stopped === "timeout") return new UpstreamCut("timeout", "The stream stalled", { cause });
  const why = stopped === "cancelled" ? "The call was cancelled" : "The connection broke";
  return new UpstreamCut("cut", why, { cause });
}
