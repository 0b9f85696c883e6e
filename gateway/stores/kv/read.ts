import { StoreError } from "../../ports/store_error.ts";

/** The result of a read; its failure as a {@linkcode StoreError}. */
export async function read<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new StoreError("Cannot read the store", { cause });
  }
}
