import { groupedCredits } from "./credits_order.ts";

/**
 * An amount of credits, as the API has it: a decimal text. Its fraction stands back, without the zeros at
 * its end; where amounts stand below each other their room is kept, so that the points do.
 */
export function Credits({ amount }: { amount: string }) {
  const [whole, decimals = ""] = groupedCredits(amount).split(".");
  const fraction = decimals.replace(/0+$/, "");
  const room = ".000000".slice(fraction === "" ? 0 : fraction.length + 1);
  return (
    <data class="number" value={amount}>
      {whole}
      <wbr />
      {fraction !== "" && <span class="fraction">.{fraction}</span>}
      {room !== "" && <span class="room" data-room={room} aria-hidden="true"></span>}
    </data>
  );
}

/** A count or a measurement, with its unit where it has one. */
export function Count({ value, unit }: { value: number; unit?: string }) {
  return (
    <span class="number">
      {value.toLocaleString("en-US")}
      {unit !== undefined && <span class="unit">{` ${unit}`}</span>}
    </span>
  );
}
