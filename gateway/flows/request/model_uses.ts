import type { BillingMetadata } from "@svc/sdk/protocol";
import type { OtherUse } from "../../ports/request_log.ts";
import { addBilling } from "./billing.ts";

type User = Pick<OtherUse, "model" | "provider" | "ms">;

/** The paid uses of a request, by the model or hosted tool that the journal names. */
export class ModelUses {
  readonly #uses = new Map<string, { readonly user: User; readonly billing: BillingMetadata }>();

  /** Adds the bill of one call. */
  add(user: User, billing: BillingMetadata): void {
    const known = this.#uses.get(user.model);
    this.#uses.set(
      user.model,
      known === undefined ? { user, billing } : {
        user: { ...user, ms: known.user.ms + user.ms },
        billing: addBilling(known.billing, billing),
      },
    );
  }

  /** Returns the uses of all models but one; `undefined` if there are none. */
  beside(model: string | undefined): readonly OtherUse[] | undefined {
    const others = [...this.#uses.values()].filter(({ user }) => user.model !== model);
    if (others.length === 0) return undefined;
    return others.map(({ user: { model, provider, ms }, billing }) => ({
      ...{ model, provider, ms },
      inputTokens: billing.input_tokens,
      cachedInputTokens: billing.cached_input_tokens,
      outputTokens: billing.output_tokens,
      charged: billing.charged,
    }));
  }
}
