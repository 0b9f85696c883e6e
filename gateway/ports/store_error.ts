/** Further facts about a failure of the store. */
export interface StoreErrorOptions extends ErrorOptions {
  /** @default {false} */
  readonly inDoubt?: boolean | undefined;
  /** @default {false} */
  readonly untried?: boolean | undefined;
  /** @default {false} */
  readonly isDamage?: boolean | undefined;
}

/** The store failed, and nothing has changed. `cause` is the reason, for the operator. */
export class StoreError extends Error {
  override name = "StoreError";
  /**
   * True when the store can be neither written nor read: it is not known whether this change, or an
   * earlier one, has landed. Repeating it under its id tells, once the store is available.
   */
  readonly inDoubt: boolean;
  /** True when the change was never tried: an earlier one is in doubt. */
  readonly untried: boolean;
  /** True when the store contains other data than was written. */
  readonly isDamage: boolean;

  constructor(message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.inDoubt = options.inDoubt ?? false;
    this.untried = options.untried ?? false;
    this.isDamage = options.isDamage ?? false;
  }

  /** True when this change may have landed. */
  get mayHaveLanded(): boolean {
    return this.inDoubt && !this.untried;
  }
}
