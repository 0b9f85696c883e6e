import { parseCredits } from "../../domain/ledger/money.ts";

/** A number to sort credits by; amounts of the API may be negative. */
export function creditsOrder(amount: string): bigint {
  const micros = parseCredits(amount.replace(/^-/, "")) ?? 0n;
  return amount.startsWith("-") ? -micros : micros;
}

/** Credits with their thousands apart, and without the zeros at their end: `1234.500000` is `1,234.5`. */
export function trimmedCredits(amount: string): string {
  return groupedCredits(amount).replace(
    /\.?0+$/,
    (zeros, _at, text) => text.includes(".") ? "" : zeros,
  );
}

/** Credits with their thousands apart: `1234567.5` is `1,234,567.5`. No digit is left out. */
export function groupedCredits(amount: string): string {
  const [whole = "", fraction] = amount.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
