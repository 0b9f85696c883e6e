import type { Clock } from "../../ports/clock.ts";

/** Opens a TCP connection. */
export type Dial = (
  options: { hostname: string; port: number; signal: AbortSignal },
) => Promise<{ close(): void }>;

/**
 * Reachability of a host.
 *
 * `fetch` does not report when it has connected: five seconds without headers may mean a slow model
 * or a dead host. A request that has waited longer than the limit for a connection asks here. If
 * anything arrived from the host in the meantime, the host is reachable; else a connection is
 * opened and closed again. Requests that are answered in time cost nothing.
 */
export class Reachability {
  readonly #address: { hostname: string; port: number };
  readonly #dial: Dial | undefined;
  readonly #clock: Clock;
  #heardMs = -Infinity;

  /**
   * Without `dial` every host counts as reachable: behind a proxy, dialling would test the wrong
   * host.
   */
  constructor(url: URL, options: { dial: Dial | undefined; clock: Clock }) {
    const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
    this.#address = { hostname: url.hostname.replace(/^\[|\]$/g, ""), port };
    this.#dial = options.dial;
    this.#clock = options.clock;
  }

  /** Notes that the host has answered. */
  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
  }

  /** True when the host has answered within so many milliseconds. */
  heardWithin(ms: number): boolean {
    return this.#clock.monotonicMs() - this.#heardMs <= ms;
  }

  /**
   * True when the host has accepted a connection since `sinceMs`, or does now. Rejects when
   * aborted.
   */
  async check(sinceMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#dial === undefined || this.#heardMs >= sinceMs) return true;
    try {
      const connection = await this.#dial({ ...this.#address, signal });
      connection.close();
    } catch {
      // The connection was refused, the host is unknown, or the check was aborted: the caller's
      // signal shows an abort.
      return false;
    }
    this.heard();
    return true;
  }
}
