const HOUR_MS = 3_600_000;
/** Entries of refused sign-ins in an hour: anybody who reaches the page can make them. */
export const REFUSALS_NOTED = 20;

/** Chooses the refused sign-ins that the audit log notes, so that no caller can fill it. */
export class RefusedSignIns {
  readonly #clock: { readonly monotonicMs: () => number };
  #sinceMs = -Infinity;
  #noted = 0;
  #unnoted = 0;

  constructor(clock: { readonly monotonicMs: () => number }) {
    this.#clock = clock;
  }

  /** Returns the remark of an entry; `undefined` once the hour has as many as it may. */
  remark(reason: string): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sinceMs >= HOUR_MS) [this.#sinceMs, this.#noted] = [nowMs, 0];
    if (this.#noted >= REFUSALS_NOTED) {
      this.#unnoted++;
      return undefined;
    }
    this.#noted++;
    const unnoted = this.#unnoted;
    this.#unnoted = 0;
    return unnoted === 0 ? reason : `${reason}; ${unnoted} more were not noted before`;
  }
}
