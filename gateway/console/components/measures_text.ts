/**
 * Measurements in few digits, for figures that are compared at a glance. Where money is accounted for,
 * amounts stand in full instead.
 *
 * @module
 */

import { groupedCredits } from "./credits_order.ts";

/** Keeps a number and its unit on one line. */
const TIED = "\u00a0";

/** `412 ms`, `1.24 s`, `2 min 05 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}${TIED}ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)}${TIED}s`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}${TIED}s`;
  const seconds = Math.round(ms / 1_000);
  const parts = [Math.floor(seconds / 60), "min", String(seconds % 60).padStart(2, "0"), "s"];
  return parts.join(TIED);
}

/** `9,876`, `123.5 k`, `4.57 M`. */
export function countText(count: number): string {
  const [size, unit] = Math.abs(count) < 100_000
    ? [1, ""]
    : Math.abs(count) < 999_950
    ? [1_000, "k"]
    : Math.abs(count) < 999_950_000
    ? [1_000_000, "M"]
    : [1_000_000_000, "G"];
  if (size === 1) return count.toLocaleString("en-US");
  const value = count / size;
  return `${value.toFixed(value < 10 ? 2 : 1)}${TIED}${unit}`;
}

/** Credits to two decimals, and to the first digit that is not 0 where they are less. */
export function roundedCredits(amount: string): string {
  const value = Number(amount);
  if (value === 0) return "0";
  const size = Math.abs(value);
  const digits = size >= 0.995 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)) - 1);
  return groupedCredits(value.toFixed(Math.max(2, digits)));
}

/** A part of a whole in per cent, to a tenth below ten. */
export function percentText(part: number, whole: number): string {
  if (whole === 0) return `0${TIED}%`;
  const percent = part / whole * 100;
  if (percent > 0 && percent < 0.05) return `< 0.1${TIED}%`;
  return `${percent.toFixed(percent > 0 && percent < 9.95 ? 1 : 0)}${TIED}%`;
}

/** By how much something grew: `+12 %`, `−4.1 %`, `×25`; `undefined` where nothing was before. */
export function growthText(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const growth = now / before - 1;
  if (growth > 9.95) return `×${Math.round(now / before)}`;
  const sign = growth < -0.0005 ? "−" : growth > 0.0005 ? "+" : "±";
  return `${sign}${percentText(Math.abs(growth), 1)}`;
}
