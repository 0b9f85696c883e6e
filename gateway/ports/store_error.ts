/** What else is known of a failure of the store. */
export interface StoreErrorOptions extends ErrorOptions {
  /** @default {false} */
  readonly inDoubt?: boolean | undefined;
  /** @default {false} */
  readonly untried?: boolean | undefined;
  /** @default {false} */
  readonly isDamage?: boolean | undefined;
}

/** The store could not do what was asked; nothing has changed. `cause` says why, to the operator. */
export class StoreError extends Error {
  override name = "StoreError";
  /**
   * The store can be neither written nor read: whether this change, or one asked for before it, has
   * landed is not known yet. What is asked for again under its id tells, once the store is back.
   */
  readonly inDoubt: boolean;
  /** The change was never tried: what is in doubt is one before it. */
  readonly untried: boolean;
  /** True where the store holds something else than was written. */
  readonly isDamage: boolean;

  constructor(message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.inDoubt = options.inDoubt ?? false;
    this.untried = options.untried ?? false;
    this.isDamage = options.isDamage ?? false;
  }

  /** Whether this change may turn out to have landed. */
  get mayHaveLanded(): boolean {
    return this.inDoubt && !this.untried;
  }
}
