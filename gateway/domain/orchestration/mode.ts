import type { Dialect } from "@svc/sdk/protocol";
import type { Tier } from "../catalog/catalog.ts";
import {
  DEFAULT_ORCHESTRATION,
  type KeyPolicy,
  type OrchestrationPolicy,
} from "../policy/policy.ts";

/** Values of the header `X-Orchestration`. */
export const ORCHESTRATION_CHOICES = ["off", "final", "all"] as const;

export type OrchestrationChoice = typeof ORCHESTRATION_CHOICES[number];

/** Default stream of each dialect: OpenAI's clients cannot tell tasks apart. */
const DEFAULT_STREAM: Readonly<Record<Dialect, OrchestrationPolicy["stream"]>> = {
  service: "all",
  openai: "final",
};

/**
 * Returns the mode of a request and the content of its stream. A tier that forbids splitting
 * forbids it to every key; otherwise the key's policy decides, or the tier if the policy has no
 * field for it. The caller's choice narrows: `off` disables splitting, the others select the stream
 * and enable nothing. Without a choice the stream is the dialect's default; it never exceeds the
 * policy's.
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
  const stream = choice === undefined || choice === "off" ? DEFAULT_STREAM[dialect] : choice;
  return {
    mode: tier.orchestration === "off" || choice === "off" ? "off" : mode,
    stream: ceiling === "final" ? "final" : stream,
  };
}
