/** Facts about a kind of provider that decisions outside of its adapter depend on. */
export interface ProviderTraits {
  /** True when its models only stand in for real ones. */
  readonly isSimulated?: boolean | undefined;
  /** True when it takes OpenAI's Responses requests unchanged. */
  readonly speaksResponses?: boolean | undefined;
  /** True when its answers can carry log probabilities. */
  readonly reportsLogprobs?: boolean | undefined;
  /**
   * Value of OpenTelemetry's `gen_ai.provider.name`.
   * @default {the operator's name of the provider}
   */
  readonly telemetryName?: string | undefined;
}

/** Returns the traits of an upstream's kind; an unknown kind has none. */
export type TraitsOf = (kind: string) => ProviderTraits;
