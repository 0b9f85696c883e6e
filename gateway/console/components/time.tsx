import type { Language } from "../messages/catalogue.ts";
import { relativeText } from "./relative_text.ts";

/**
 * A moment: in UTC as it comes, in the reader's own time once the script has run. The full time is in
 * the title.
 */
export function Time({ at }: { at: string }) {
  const text = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
  return <time class="number" datetime={at} title={at} data-local="">{text}</time>;
}

/**
 * The age of a moment, as of `nowMs`; the script keeps it up to date. The full time is in the title.
 */
export function RelativeTime(
  { at, nowMs, language }: { at: string; nowMs: number; language: Language },
) {
  return (
    <time class="number relative" datetime={at} title={at} data-relative="">
      {relativeText(Date.parse(at), { nowMs, language })}
    </time>
  );
}
