/**
 * The state of upstreams as the operator's API reports it.
 *
 * @module
 */

import type { AnswerOf } from "../../../admin_api/operations.ts";
import type * as ui from "../../components/mod.ts";
import type { View } from "../../page.ts";

/** An upstream as the pool has it. */
export type UpstreamState = AnswerOf<"GET /upstreams">["upstreams"][number];

/** The state of an upstream now, or a verdict on its answers of late. */
export type UpstreamHealth = UpstreamState["state"] | "failing" | "unsteady";

/** Attempts below which a share of them says little. */
const ATTEMPTS_MIN = 5;
/** Shares of failures from which an upstream fails, and from which it is unsteady. */
const [FAILING, UNSTEADY] = [0.5, 0.1];

/** One that can be routed to is no better than what it answers. */
export function healthOf(
  { state, recent: { attempts, failures } }: Pick<UpstreamState, "state" | "recent">,
): UpstreamHealth {
  if (state === "unavailable" || state === "unused" || attempts < ATTEMPTS_MIN) return state;
  if (failures / attempts >= FAILING) return "failing";
  return failures / attempts >= UNSTEADY && state === "available" ? "unsteady" : state;
}

/** The badge of each of them. */
export const HEALTH_KINDS: Readonly<Record<UpstreamHealth, ui.BadgeKind>> = {
  available: "good",
  failing: "bad",
  unsteady: "warn",
  degraded: "warn",
  unavailable: "bad",
  unused: "neutral",
};

/** Every upstream as the pool has it, and the number of the instance that has this pool. */
export function upstreamStates(view: View): Promise<AnswerOf<"GET /upstreams">> {
  return view.load("GET /upstreams");
}

/** From the fastest model's time to first byte to the slowest's. */
export function latencyText({ models }: UpstreamState): string {
  const known = models.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs])
    .map(Math.round);
  if (known.length === 0) return "–";
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return least === most ? `${least} ms` : `${least}–${most} ms`;
}
