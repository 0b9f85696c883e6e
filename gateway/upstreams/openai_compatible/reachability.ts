import type { Clock } from "../../ports/clock.ts";

/** Opens a TCP connection. */
export type Dial = (
  options: { hostname: string; port: number; signal: AbortSignal },
) => Promise<{ close(): void }>;

/**
 * Whether a host takes connections at all.
 *
 * `fetch` tells nobody when it has connected: five seconds without headers may be a model that
 * thinks or a host that is gone. So a request that has waited longer than a connection may take asks
 * here. Where anything else has been heard from the host meanwhile that is the answer; else a
 * connection is dialled and closed again. Requests that are answered in time never come here.
 */
export class Reachability {
  readonly #address: { hostname: string; port: number };
  readonly #dial: Dial | undefined;
  readonly #clock: Clock;
  #heardMs = -Infinity;

  /** Without `dial`, as behind a proxy, where dialling would ask the wrong host, all is reachable. */
  constructor(url: URL, options: { dial: Dial | undefined; clock: Clock }) {
    const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
    this.#address = { hostname: url.hostname.replace(/^\[|\]$/g, ""), port };
    this.#dial = options.dial;
    this.#clock = options.clock;
  }

  /** The host has answered something. */
  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
  }

  /** Whether the host has answered something within so many milliseconds. */
  heardWithin(ms: number): boolean {
    return this.#clock.monotonicMs() - this.#heardMs <= ms;
  }

  /** Whether the host has taken a connection since `sinceMs`, or does now. Rejects when aborted. */
  async check(sinceMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#dial === undefined || this.#heardMs >= sinceMs) return true;
    try {
      const connection = await this.#dial({ ...this.#address, signal });
      connection.close();
    } catch {
      // Refused, unknown or aborted: the caller knows which by its signal.
      return false;
    }
    this.heard();
    return true;
  }
}
