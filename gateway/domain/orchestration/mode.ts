import type { Dialect } from "@svc/sdk/protocol";
import type { Tier } from "../catalog/catalog.ts";
import {
  DEFAULT_ORCHESTRATION,
  type KeyPolicy,
  type OrchestrationPolicy,
} from "../policy/policy.ts";

/** What a caller may ask for with `X-Orchestration`. */
export const ORCHESTRATION_CHOICES = ["off", "final", "all"] as const;

/** One of {@linkcode ORCHESTRATION_CHOICES}. */
export type OrchestrationChoice = typeof ORCHESTRATION_CHOICES[number];

/** The stream of a caller who has not asked for one: OpenAI's clients cannot tell tasks apart. */
const DEFAULT_STREAM: Readonly<Record<Dialect, OrchestrationPolicy["stream"]>> = {
  service: "all",
  openai: "final",
};

/**
 * The mode of a request and the content of its stream. A tier that forbids splitting forbids it to
 * every key; beyond that the key's policy decides, or the tier where the policy says nothing. The
 * caller's choice narrows: `off` switches splitting off, the others choose the stream and switch
 * nothing on. Without a choice the stream is the dialect's; it never exceeds the policy's.
 */
export function orchestrationFor(
  { policy, tier, dialect, choice }: {
    readonly policy: Pick<KeyPolicy, "orchestration">;
    readonly tier: Pick<Tier, "orchestration">;
    readonly dialect: Dialect;
    readonly choice?: OrchestrationChoice | undefined;
  },
): OrchestrationPolicy {
  const { mode, stream: ceiling } = policy.orchestration ??
    { ...DEFAULT_ORCHESTRATION, mode: tier.orchestration };
  const wanted = choice === undefined || choice === "off" ? DEFAULT_STREAM[dialect] : choice;
  return {
    mode: tier.orchestration === "off" || choice === "off" ? "off" : mode,
    stream: ceiling === "final" ? "final" : wanted,
  };
}
