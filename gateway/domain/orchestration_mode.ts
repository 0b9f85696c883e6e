import type { Tier } from "./catalog.ts";
import { DEFAULT_ORCHESTRATION, type KeyPolicy, type OrchestrationPolicy } from "./policy.ts";

/** What a caller may ask for with `X-Orchestration`. */
export const ORCHESTRATION_CHOICES = ["off", "final", "all"] as const;

/** One of {@linkcode ORCHESTRATION_CHOICES}. */
export type OrchestrationChoice = typeof ORCHESTRATION_CHOICES[number];

/**
 * Whether a request may be split, and what its stream carries. A tier that forbids it forbids it to
 * every key; beyond that the key's policy decides, or the tier where the policy says nothing. The
 * caller's choice narrows: `off` switches it off, the others choose the stream and switch nothing on.
 */
export function orchestrationFor(
  { policy, tier, choice }: {
    readonly policy: Pick<KeyPolicy, "orchestration">;
    readonly tier: Pick<Tier, "orchestration">;
    readonly choice?: OrchestrationChoice | undefined;
  },
): OrchestrationPolicy {
  const { mode, stream } = policy.orchestration ??
    { ...DEFAULT_ORCHESTRATION, mode: tier.orchestration };
  return {
    mode: tier.orchestration === "off" || choice === "off" ? "off" : mode,
    stream: choice === undefined || choice === "off" ? stream : choice,
  };
}
