/**
 * A moment: in UTC as it comes, in the reader's own time once the script has run. The full time is in
 * the title.
 */
export function Time({ at }: { at: string }) {
  const text = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
  return <time class="number" datetime={at} title={at} data-local="">{text}</time>;
}
