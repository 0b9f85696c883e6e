import { groupedCredits } from "./credits_order.ts";

/** An amount of credits, as the API has it: a decimal text. Its fraction stands back. */
export function Credits({ amount }: { amount: string }) {
  const [whole, fraction] = groupedCredits(amount).split(".");
  return (
    <data class="number" value={amount}>
      {whole}
      <wbr />
      {fraction === undefined ? null : <span class="fraction">.{fraction}</span>}
    </data>
  );
}

/** A count or a measurement, with its unit where it has one. */
export function Count({ value, unit }: { value: number; unit?: string }) {
  return (
    <span class="number">
      {value.toLocaleString("en-US")}
      {unit === undefined ? null : <span class="unit">{` ${unit}`}</span>}
    </span>
  );
}
