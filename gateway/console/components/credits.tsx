import { groupedCredits } from "./credits_order.ts";

/** An amount of credits, as the API has it: a decimal text. */
export function Credits({ amount }: { amount: string }) {
  return <data class="number" value={amount}>{groupedCredits(amount)}</data>;
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
