import { isJsonObject } from "@svc/sdk/protocol";
import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import type { Upstream } from "../ports/upstream.ts";

/** An upstream with its calls. */
export interface Slot {
  readonly config: UpstreamConfig;
  readonly upstream: Upstream;
  /** Name of a missing setting without which it cannot be called, by the last catalog. */
  lacks: string | undefined;
  inFlight: number;
  /** True when the catalog no longer has it; it closes after its last call. */
  retired: boolean;
}

/** The current slots, and functions for new ones. */
interface SlotSource {
  readonly current: ReadonlyMap<string, Slot>;
  readonly create: (config: UpstreamConfig) => Upstream;
  readonly lacks?: ((config: UpstreamConfig) => string | undefined) | undefined;
}

/**
 * Returns the slots of a catalog's upstreams. A slot whose configuration is unchanged is reused. If
 * one cannot be created, closes the ones created before it and throws.
 */
export function slotsOf(
  configs: readonly UpstreamConfig[],
  { create, current, lacks }: SlotSource,
): Map<string, Slot> {
  const slots = new Map<string, Slot>();
  const created: Slot[] = [];
  try {
    for (const config of configs) {
      const old = current.get(config.id);
      if (old !== undefined && isSame(old.config, config)) {
        old.lacks = lacks?.(config);
        slots.set(config.id, old);
        continue;
      }
      const upstream = create(config);
      const slot = { config, upstream, lacks: lacks?.(config), inFlight: 0, retired: false };
      created.push(slot);
      slots.set(config.id, slot);
    }
  } catch (error) {
    created.forEach(retire);
    throw error;
  }
  return slots;
}

/** Closes an upstream once it has no calls in flight. */
export function retire(slot: Slot): void {
  slot.retired = true;
  if (slot.inFlight === 0) slot.upstream.close();
}

/** True when two configurations are equal, whatever the order of their members. */
function isSame(a: UpstreamConfig, b: UpstreamConfig): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort()) : part;
  return JSON.stringify(value, sorted);
}
