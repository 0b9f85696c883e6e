/** The store could not do what was asked; nothing has changed. `cause` says why, to the operator. */
export class StoreError extends Error {
  override name = "StoreError";
}
