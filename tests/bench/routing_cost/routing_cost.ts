export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}
export interface RoutingCost {
  readonly plain: Percentiles;
  readonly verified: Percentiles;
  readonly unlearned: Percentiles;
  readonly nextMs: Percentiles;
  readonly residentBytes: number;
}
