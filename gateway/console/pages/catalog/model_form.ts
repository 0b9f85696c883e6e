import type { EntryShape } from "./field_values.ts";

/** Fields of a price, as the form has them. */
export const PRICE_FIELDS = [
  "inputPerMTok",
  "outputPerMTok",
  "cachedInputPerMTok",
  "cacheWriteInputPerMTok",
  "imageInputPerMTok",
  "perImage",
  "perWebSearch",
] as const;

/** The fields of a model. */
export const MODEL_SHAPE: EntryShape = {
  texts: [
    ...["name", "upstream", "upstreamModel", "sku", "description.en", "description.zh"],
    ...PRICE_FIELDS.map((name) => `price.${name}`),
  ],
  numbers: ["quality", "contextTokens", "maxOutputTokens"],
  lists: ["featureTags", "industryPacks"],
  choices: ["endpoints"],
  flags: ["disabled"],
};
