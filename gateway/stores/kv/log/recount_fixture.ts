import { bucketOf } from "../../../domain/requests/histogram.ts";
import { formatCredits, parseCredits } from "../../../domain/ledger/money.ts";
import { partsOf } from "../../../domain/requests/parts.ts";
import type { Rollup, Sums } from "../../../domain/requests/rollup.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";

/** For tests: returns the sums of rows, counted one by one. */
export function recount(rows: readonly RequestRecord[]): Rollup {
  const sums = (some: readonly RequestRecord[]): Sums => {
    const sum = (of: (row: RequestRecord) => number) => some.reduce((all, row) => all + of(row), 0);
    const number = (isOne: (row: RequestRecord) => boolean) => some.filter(isOne).length;
    return {
      requests: some.length,
      refused: number(({ status }) => status === 429),
      failed: number(({ status, outcome }) => status === 502 || outcome === "cut"),
      disconnected: number(({ outcome }) => outcome === "client_left"),
      charged: some.reduce((all, { charged }) => all + (parseCredits(charged) ?? 0n), 0n),
      inputTokens: sum(({ inputTokens }) => inputTokens),
      cachedInputTokens: sum(({ cachedInputTokens }) => cachedInputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
    };
  };
  const histogram = (times: readonly number[]) =>
    new Map([...Map.groupBy(times, bucketOf)].map(([bucket, all]) => [bucket, all.length]));
  const durations = (some: readonly RequestRecord[]) =>
    histogram(some.filter(({ status }) => status !== 429).map(({ durationMs }) => durationMs));
  const ofParts = (some: readonly RequestRecord[]): Sums => {
    const { requests, refused, failed, disconnected } = sums([
      ...new Map(some.map((part) => [part.id, part])).values(),
    ]);
    return { ...sums(some), requests, refused, failed, disconnected };
  };
  const byKey = Map.groupBy(rows, ({ keyId }) => keyId);
  const parts = rows.flatMap((row) =>
    partsOf(row).map((part) => ({ ...row, ...part, charged: formatCredits(part.charged) }))
  );
  const byModel = Map.groupBy(parts, ({ model }) => model);
  const byEnding = Map.groupBy(rows, (row) => [row.outcome, row.status, row.errorCode].join(" "));
  return {
    ...sums(rows),
    durations: durations(rows),
    firstBytes: histogram(rows.flatMap(({ status, firstByteMs }) => {
      return status === 429 || firstByteMs === undefined ? [] : [firstByteMs];
    })),
    keys: new Map([...byKey].map(([name, some]) => [name, sums(some)])),
    models: new Map([...byModel].map(([name, some]) => [
      name,
      { ...ofParts(some), durations: durations(some) },
    ])),
    endings: new Map([...byEnding].map(([name, some]) => [name, some.length])),
  };
}
