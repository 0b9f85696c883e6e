/** Returns the configuration of the measured gateway. */
export function configuration(
  upstreamUrl: string,
  kind: "openai" | "openai-compatible" = "openai-compatible",
  { maxInFlight = 1_000, maxOutputTokens = 16_000 }: {
    readonly maxInFlight?: number;
    readonly maxOutputTokens?: number;
  } = {},
): string {
  const model = (id: string, quality: number, price: string) => ({
    id,
    upstream: "bench",
    upstreamModel: "bench-1",
    endpoints: ["chat", "responses"],
    quality,
    contextTokens: 112_000 + maxOutputTokens,
    maxOutputTokens,
    price: { inputPerMTok: price, outputPerMTok: price },
    description: { en: `Model ${id}`, zh: `模型 ${id}` },
  });
  const names = { en: "Standard", zh: "标准" };
  return JSON.stringify({
    limits: { maxInFlight },
    upstreams: [{
      id: "bench",
      kind,
      baseUrl: `${upstreamUrl}/v1`,
      apiKey: "none",
      // Attackers take some places; those who are measured must have others.
      maxInFlight,
    }],
    models: [
      model("small", 0.5, "0.10"),
      model("middle", 0.7, "0.40"),
      model("large", 0.9, "2.00"),
    ],
    tiers: [{
      id: "standard",
      creditsPerUsd: "1000",
      models: "*",
      orchestration: "auto",
      name: names,
      description: names,
    }],
  });
}
