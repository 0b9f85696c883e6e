/** What the score of a candidate weighs; part of the catalog version. */
export interface ScoringWeights {
  /** Weight of expected quality for the prompt's difficulty. */
  readonly quality: number;
  /** Weight of price. */
  readonly price: number;
  /** Weight of observed latency. */
  readonly latency: number;
}
