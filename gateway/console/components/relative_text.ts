import type { Language } from "../messages/catalogue.ts";

/** Units from the largest on, with their sizes in seconds. */
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]] as const;
/** Beyond so many seconds the date says more. */
const RELATIVE_MAX_S = 14 * 86_400;

/** `8s ago`, `3m ago`, `2h ago`; the date of a moment that is longer ago. */
export function relativeText(
  atMs: number,
  { nowMs, language }: { readonly nowMs: number; readonly language: Language },
): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1_000));
  if (seconds >= RELATIVE_MAX_S) return new Date(atMs).toISOString().slice(0, 10);
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { style: "narrow" })
    .format(-Math.floor(seconds / size), unit);
}
