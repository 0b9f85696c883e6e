/** What else is known of a failure of the store. */
export interface StoreErrorOptions extends ErrorOptions {
  /** @default {false} */
  readonly inDoubt?: boolean | undefined;
}

/** The store could not do what was asked; nothing has changed. `cause` says why, to the operator. */
export class StoreError extends Error {
  override name = "StoreError";
  /**
   * The store can be neither written nor read: whether this change, or one asked for before it, has
   * landed is not known yet. What is asked for again under its id tells, once the store is back.
   */
  readonly inDoubt: boolean;

  constructor(message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.inDoubt = options.inDoubt ?? false;
  }
}
