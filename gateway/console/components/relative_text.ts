import type { Language } from "../messages/catalogue.ts";

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
/** Beyond so many days the date says more. */
const DAYS_MAX = 14;

/** `8s ago`, `3m ago`, `2h ago`; the date of a moment that is longer ago. */
export function relativeText(
  atMs: number,
  { nowMs, language }: { readonly nowMs: number; readonly language: Language },
): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1_000));
  if (seconds >= DAYS_MAX * DAY_S) return new Date(atMs).toISOString().slice(0, 10);
  const [size, unit] = seconds < MINUTE_S
    ? [1, "second"] as const
    : seconds < HOUR_S
    ? [MINUTE_S, "minute"] as const
    : seconds < DAY_S
    ? [HOUR_S, "hour"] as const
    : [DAY_S, "day"] as const;
  return new Intl.RelativeTimeFormat(language, { style: "narrow" })
    .format(-Math.floor(seconds / size), unit);
}
