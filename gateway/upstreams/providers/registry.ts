/**
 * The provider kinds, one line each. The order is that of the names; `provider_kinds.ts` makes the
 * list that other code reads.
 *
 * @module
 */

export { AMAZON_BEDROCK } from "./amazon_bedrock.ts";
export { ANTHROPIC } from "./anthropic.ts";
export { AZURE } from "./azure.ts";
export { COHERE } from "./cohere.ts";
export { GOOGLE } from "./google.ts";
export { GOOGLE_VERTEX } from "./google_vertex.ts";
export { MISTRAL } from "./mistral.ts";
export { OPENAI } from "./openai.ts";
export { OPENAI_COMPATIBLE } from "./openai_compatible.ts";
export { SIMULATOR } from "./simulator.ts";
