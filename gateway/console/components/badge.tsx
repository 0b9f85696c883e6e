import type { Child } from "@hono/hono/jsx";

/** Rating of a state. */
export type BadgeKind = "good" | "warn" | "bad" | "neutral";

/** A state in a word. The word says it; the colour only helps. */
export function Badge({ kind, children }: { kind: BadgeKind; children: Child }) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
