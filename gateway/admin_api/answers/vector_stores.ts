/**
 * Answers about vector stores and their files.
 *
 * @module
 */

import { z } from "zod";
import { attributeValueSchema } from "../../http/schemas/hosted_tools.ts";
import { countAnswer, cursorAnswer, timeAnswer } from "./parts.ts";

/** A vector store. */
export const vectorStoreAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  wallet: z.string().describe("Wallet whose keys may search it"),
  createdAt: timeAnswer,
  files: countAnswer,
  passages: countAnswer,
  textBytes: countAnswer,
  embeddings: z.strictObject({ model: z.string(), passages: countAnswer }).nullable().describe(
    "Passages that are found by embeddings; null where none are configured",
  ),
}).meta({ id: "VectorStore" });

/** Answer of `GET /vector-stores`. */
export const vectorStoreListAnswer = z.strictObject({
  vectorStores: z.array(vectorStoreAnswer),
  cursor: cursorAnswer,
});

const attributes = z.record(z.string(), attributeValueSchema);

const file = {
  id: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  bytes: countAnswer,
  passages: countAnswer,
  embedded: z.boolean(),
  createdAt: timeAnswer,
  attributes,
};

/** A file of a vector store. */
export const fileAnswer = z.strictObject(file).meta({ id: "VectorStoreFile" });

/** Answer of `POST /vector-stores/{id}/files`. */
export const addedFileAnswer = z.strictObject({
  ...file,
  warning: z.string().optional().describe("Why it has no embeddings"),
}).meta({ id: "AddedFile" });

/** Answer of `GET /vector-stores/{id}/files`. */
export const fileListAnswer = z.strictObject({ files: z.array(fileAnswer), cursor: cursorAnswer });

/** Answer of `POST /vector-stores/{id}/search`. */
export const searchAnswer = z.strictObject({
  results: z.array(z.strictObject({
    fileId: z.string(),
    filename: z.string(),
    score: z.number(),
    text: z.string(),
    attributes,
  })),
}).meta({ id: "VectorStoreResults" });

/** Answer of every `DELETE` of one thing. */
export const deletedAnswer = z.strictObject({ id: z.string(), deleted: z.literal(true) });
