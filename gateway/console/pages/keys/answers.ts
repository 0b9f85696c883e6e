import type { AnswerOf } from "../../../admin_api/operations.ts";

/** A key without its secret. */
export type Key = AnswerOf<"POST /keys/{id}/narrow">;
/** A key with what it has spent. */
export type Shown = AnswerOf<"GET /keys/{id}">;
/** The policy of a key. */
export type Policy = Key["policy"];
/** The pinned embedding model of a key. */
export type Pin = AnswerOf<"GET /keys/{id}">["embeddings"];
/** The endpoints, models and tools that a policy allows. */
export type Reach = AnswerOf<"GET /keys/{id}">["reach"];
/** The endpoints, models and tools that an unsaved policy would allow. */
export type Preview = AnswerOf<"POST /keys/preview">;
/** A key that was made, with its secret. */
export type NewKey = AnswerOf<"POST /keys">;
/** A request, as a line of the log. */
export type LogLine = AnswerOf<"GET /requests">["requests"][number];
/** The progress of a rotation. */
export type Rotation = AnswerOf<"GET /keys/{id}/rotation">;
