/**
 * Measures that the time of a refusal does not reveal its reason: each reason beside a key that was
 * never issued.
 *
 * @module
 */

import { join } from "@std/path";
import { formatKey } from "../../gateway/domain/policy/key_format.ts";
import { newAdminToken } from "../../gateway/flows/keys/admin_tokens.ts";
import { KeyRing } from "../../gateway/flows/keys/key_ring.ts";
import { newKeyParts } from "../../gateway/flows/keys/new_secret.ts";
import { Peppers } from "../../gateway/flows/keys/peppers.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { systemClock as clock } from "../../gateway/system/clock.ts";
import { median } from "./load.ts";
import type { Finding } from "./marks.ts";

/**
 * Maximum distance from a half of the chance that a refusal of one kind takes longer than one of
 * another: at a half the two kinds cannot be distinguished. Measured without HTTP, whose noise is many
 * times the whole; one more row that is read is 0.35.
 */
export const TELLING_CHANCE_MAX = 0.1;
/** Maximum ratio of the medians. */
export const MEDIAN_RATIO_MAX = 1.05;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The reason that all others are held against. */
const UNKNOWN = "unknown";

/** Times of refusals, in milliseconds, by their reason. */
export type RefusalTimes = ReadonlyMap<string, readonly number[]>;

/** The chance that a value of one row is above one of the other; ties count half. */
export function chanceAbove(values: readonly number[], others: readonly number[]): number {
  const sorted = others.toSorted((a, b) => a - b);
  const below = (value: number, orEqual: boolean) => {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const at = sorted[middle] ?? Infinity;
      if (at < value || (orEqual && at === value)) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  const sum = values.reduce((sum, value) => sum + below(value, false) + below(value, true), 0);
  return sum / (2 * values.length * sorted.length);
}

/** One row for each reason. */
export function refusalFindings(times: RefusalTimes): Finding[] {
  const unknown = times.get(UNKNOWN) ?? [];
  return [...times].filter(([reason]) => reason !== UNKNOWN).map(([reason, measured]) => {
    const chance = chanceAbove(measured, unknown);
    const ratio = median(measured) / median(unknown);
    return {
      name: `refusal, ${reason} / ${UNKNOWN}`,
      measured: `median ${ratio.toFixed(3)}, slower in ${(chance * 100).toFixed(1)} %`,
      mark: `1 ± ${(MEDIAN_RATIO_MAX - 1).toFixed(2)}, 50 % ± ${TELLING_CHANCE_MAX * 100}`,
      met: Math.max(ratio, 1 / ratio) <= MEDIAN_RATIO_MAX &&
        Math.abs(chance - 0.5) <= TELLING_CHANCE_MAX,
    };
  });
}

/** Measures refusals on a store in a folder, the reasons in turn, in an order drawn for each round. */
export async function refusalTimes(folder: string, samples: number): Promise<RefusalTimes> {
  const stores = await openKvStores(join(folder, "refusals.kv"));
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const peppers = new Peppers({ version: 2, secret: "new" }, { version: 1, secret: "old" });
  const ring = new KeyRing(peppers, { keys: stores.keys, clock, logger });
  try {
    const keys = Object.entries(await refusedKeys(ring));
    const times = new Map(keys.map(([reason]): [string, number[]] => [reason, []]));
    for (let round = -samples / 10; round < samples; round++) {
      const start = Math.floor(Math.random() * keys.length);
      for (let turn = 0; turn < keys.length; turn++) {
        const [reason, text] = keys[(start + turn) % keys.length] ?? ["", ""];
        // A text of its own, as every request brings one.
        const key = decoder.decode(encoder.encode(text));
        const beganMs = performance.now();
        await ring.authenticate(key);
        if (round >= 0) times.get(reason)?.push(performance.now() - beganMs);
      }
    }
    return times;
  } finally {
    await ring.idle();
    await stores.close();
  }
}

async function refusedKeys(ring: KeyRing): Promise<Record<string, string>> {
  const made = async (policy = {}) => {
    const issue = await ring.issue({ name: "app", walletId: "team", policy });
    if (!issue.ok) throw new Error("Cannot make a key");
    return issue;
  };
  const [revoked, disabled] = [await made(), await made()];
  const expired = await made({ expiresAt: "2020-01-01T00:00:00Z" });
  await ring.revoke(revoked.record.id);
  await ring.disable(disabled.record.id);
  return {
    [UNKNOWN]: formatKey(newKeyParts()),
    revoked: revoked.key,
    disabled: disabled.key,
    expired: expired.key,
    "wrong checksum": `${revoked.key.slice(0, -6)}000000`,
    malformed: "no key at all, and about as long as one is, for it is hashed as well",
    "another class": newAdminToken(),
  };
}

/** Measures, and holds what was measured against its marks. */
export async function refusalTime(
  options: { readonly folder: string; readonly samples: number; say(text: string): void },
): Promise<Finding[]> {
  const times = await refusalTimes(options.folder, options.samples);
  for (const [reason, measured] of times) {
    options.say(`refusal, ${reason}: median ${(median(measured) * 1_000).toFixed(1)} µs`);
  }
  return refusalFindings(times);
}
