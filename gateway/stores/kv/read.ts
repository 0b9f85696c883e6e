import { StoreError } from "../../ports/store_error.ts";

/** Returns the result of a read; a failure becomes a {@linkcode StoreError}. */
export async function read<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new StoreError("Cannot read the store", { cause });
  }
}
