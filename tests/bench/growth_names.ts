/** Returns the secret of the key of this number, of no worth. */
export function secretOf(n: number): string {
  return `svc_bench_growth_${Math.abs(n).toString(36).padStart(12, n < 0 ? "-" : "0")}`;
}

/** Returns the wallet of this number. */
export function walletOf(n: number): string {
  return `team-${n.toString(36).padStart(8, "0")}`;
}
