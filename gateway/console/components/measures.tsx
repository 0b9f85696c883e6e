import { countText, durationText, roundedCredits } from "./measures_text.ts";

/** A time span; `null` shows as a dash. The exact one is in the title. */
export function Duration({ ms }: { ms: number | null }) {
  if (ms === null) return <span class="muted">–</span>;
  return <span class="number" title={`${ms.toLocaleString("en-US")} ms`}>{durationText(ms)}</span>;
}

/** Credits in few digits; the exact amount is in the title. */
export function RoundedCredits({ amount }: { amount: string }) {
  return <data class="number" value={amount} title={amount}>{roundedCredits(amount)}</data>;
}

/** A count in few digits; the exact one is in the title. */
export function RoundedCount({ value }: { value: number }) {
  return (
    <data class="number" value={value} title={value.toLocaleString("en-US")}>
      {countText(value)}
    </data>
  );
}
