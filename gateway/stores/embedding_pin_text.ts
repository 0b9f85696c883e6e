import type { EmbeddingPin } from "../domain/policy/embedding_pin.ts";

/** Returns a pin as JSON. Equal pins have equal texts, so that stores compare the texts. */
export function pinText({ lineId, model, dimensions, source, atMs }: EmbeddingPin): string {
  return JSON.stringify({ lineId, model, dimensions, source, atMs });
}

/** Returns the pin of a text. */
export function pinOf(text: string): EmbeddingPin {
  return JSON.parse(text) as EmbeddingPin;
}
