import type { Upstream, UpstreamAnswer, UpstreamCall } from "../ports/upstream.ts";

/**
 * An upstream whose code is loaded with its first call, so that a service loads only the code of
 * kinds that it calls.
 */
export class OnDemandUpstream implements Upstream {
  readonly id: string;
  readonly #load: () => Promise<Upstream>;
  #loaded: Promise<Upstream> | undefined;

  /** Loads nothing yet. */
  constructor(id: string, load: () => Promise<Upstream>) {
    this.id = id;
    this.#load = load;
  }

  /** Rejects where the code cannot be loaded. */
  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    return await (await this.#upstream()).call(call);
  }

  /** Rejects where the code cannot be loaded. */
  async models(signal: AbortSignal): Promise<readonly string[]> {
    return await (await this.#upstream()).models(signal);
  }

  /** Calls that wait for the code receive the error; there is nothing to close. */
  close(): void {
    this.#loaded?.then((upstream) => upstream.close(), () => {});
  }

  #upstream(): Promise<Upstream> {
    return this.#loaded ??= this.#load();
  }
}
