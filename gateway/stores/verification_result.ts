import { InvariantError } from "../domain/invariant.ts";
import type { Verification, VerificationStep } from "../ports/ledger_store.ts";

/** Returns the result of a verification, after all of its steps. */
export async function resultOf(steps: AsyncIterable<VerificationStep>): Promise<Verification> {
  for await (const { result } of steps) if (result !== undefined) return result;
  throw new InvariantError("A verification ended without a result");
}
