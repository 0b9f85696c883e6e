import type { BillingMetadata } from "@svc/sdk/protocol";
import type { OtherUse } from "../../ports/request_log.ts";
import { addBilling } from "./billing.ts";
import { ModelUses } from "./model_uses.ts";

/** The bill of a request, or of a part of one: the sum of its settled calls. */
export class RequestBill {
  readonly #uses = new ModelUses();
  /** Bills of parts that have not been joined. */
  readonly #parts = new Set<RequestBill>();
  #settled: BillingMetadata | undefined;

  /** The sum of the calls that have been settled. */
  get settled(): BillingMetadata | undefined {
    return this.#settled;
  }

  /** Returns the sum with one more call, which it does not change. */
  sumWith(billing: BillingMetadata): BillingMetadata {
    return this.#settled === undefined ? billing : addBilling(this.#settled, billing);
  }

  /** Replaces the sum by one that includes a call settled now. */
  update(total: BillingMetadata): void {
    this.#settled = total;
  }

  /** Adds the price of one call to the uses of its model. `use` names the model as the journal does. */
  addUse(use: Pick<OtherUse, "model" | "provider" | "ms">, billing: BillingMetadata): void {
    this.#uses.add(use, billing);
  }

  /** Returns the paid uses of all models but one. */
  usesBeside(model: string | undefined): readonly OtherUse[] | undefined {
    return this.#uses.beside(model);
  }

  /** Opens the bill of a part of the request. */
  part(): RequestBill {
    const part = new RequestBill();
    this.#parts.add(part);
    return part;
  }

  /** Adds the bill of a part that has ended. Returns false if it was added before. */
  join(part: RequestBill): boolean {
    if (!this.#parts.delete(part)) return false;
    this.#settled = sumOf(this.#settled, part.#settled);
    return true;
  }

  /** Returns the sum of the whole request if `part` costs `billing`. */
  totalWith(part: RequestBill, billing: BillingMetadata | undefined): BillingMetadata | undefined {
    let sum = sumOf(this.#settled, billing);
    for (const other of this.#parts) {
      if (other !== part) sum = sumOf(sum, other.#settled);
    }
    return sum;
  }
}

function sumOf(
  one: BillingMetadata | undefined,
  other: BillingMetadata | undefined,
): BillingMetadata | undefined {
  return one === undefined || other === undefined ? one ?? other : addBilling(one, other);
}
