/**
 * What the operator's API tells of upstreams.
 *
 * @module
 */

import { z } from "zod";
import type { BadgeKind } from "../../components/badge.tsx";
import type { View } from "../../page.ts";
import { modelState } from "../catalog/content.ts";

/** An upstream as the pool has it, as the operator's API tells it. */
export const upstreamState = z.object({
  id: z.string(),
  kind: z.string(),
  provider: z.string(),
  state: z.enum(["available", "degraded", "unavailable", "unused"]),
  inFlight: z.number(),
  maxInFlight: z.number(),
  recent: z.object({ minutes: z.number(), attempts: z.number(), failures: z.number() }),
  models: z.array(modelState),
});
const upstreams = z.object({ upstreams: z.array(upstreamState) });

/** An upstream as the pool has it. */
export type UpstreamState = z.output<typeof upstreamState>;

/** How good a state of an upstream is. */
export const STATE_KINDS: Readonly<Record<UpstreamState["state"], BadgeKind>> = {
  available: "good",
  degraded: "warn",
  unavailable: "bad",
  unused: "neutral",
};

/** Every upstream as the pool has it. */
export async function upstreamStates(view: View): Promise<readonly UpstreamState[]> {
  return view.need(await view.api.get("/upstreams", upstreams)).upstreams;
}

/** What an upstream offers, by its own names. */
export const offered = z.object({ models: z.array(z.string()) });

/** From the fastest model's time to first byte to the slowest's. */
export function latencyText({ models }: UpstreamState): string {
  const known = models.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs])
    .map(Math.round);
  if (known.length === 0) return "–";
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return least === most ? `${least} ms` : `${least}–${most} ms`;
}
