import type { EmbeddingPin } from "../domain/policy/embedding_pin.ts";

/** Returns a pin as JSON. Equal pins have equal texts, so that stores compare the texts. */
export function pinText(pin: EmbeddingPin): string {
  const { lineId, model, dimensions, upstreamModel, source, atMs } = pin;
  return JSON.stringify({ lineId, model, dimensions, upstreamModel, source, atMs });
}

/** Returns the pin of a text. */
export function pinOf(text: string): EmbeddingPin {
  return JSON.parse(text) as EmbeddingPin;
}
