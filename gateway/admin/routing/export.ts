import type { RoutingSnapshot, WalletSnapshot } from "../../domain/learning/snapshot.ts";
import { isoTime } from "../json_values.ts";
import { jsonLine } from "../ndjson.ts";

/**
 * Yields everything of a snapshot, a line each, and a last line of kind `end` with the number of
 * lines before it: an export without it was cut. Equal snapshots give equal lines. A step of work is
 * one wallet's part.
 */
export async function* exportLines(
  { number, takenAtMs, wallets }: RoutingSnapshot,
): AsyncGenerator<string, void> {
  let lines = 1;
  yield jsonLine({ kind: "snapshot", number, takenAt: isoTime(takenAtMs) });
  for (const [id, wallet] of [...wallets].sort(byName)) {
    let text = "";
    for (const line of linesOf(id, wallet)) {
      text += jsonLine(line);
      lines++;
    }
    yield text;
    // The next wallet begins when the reader has taken this one.
    await Promise.resolve();
  }
  yield jsonLine({ kind: "end", lines });
}

function* linesOf(
  wallet: string,
  { decayedAtMs, statistics, rates, typicalPrice, plans }: WalletSnapshot,
): Generator<Readonly<Record<string, unknown>>> {
  const { tasks, samples, audits } = statistics;
  const decayedAt = isoTime(decayedAtMs);
  yield { kind: "wallet", wallet, decayedAt, rates: rates ?? null, typicalPrice };
  for (const [task, { lastUsedMs, models, ...sums }] of Object.entries(tasks).sort(byName)) {
    const sorted = Object.fromEntries(Object.entries(models).sort(byName));
    yield { kind: "task", wallet, task, lastUsedAt: isoTime(lastUsedMs), ...sums, models: sorted };
  }
  for (const sample of samples) yield { kind: "sample", wallet, ...sample };
  for (const audit of audits) yield { kind: "audit", wallet, ...audit };
  for (const [task, own] of Object.entries(plans).sort(byName)) {
    for (const plan of own) yield { kind: "plan", wallet, task, ...plan };
  }
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
