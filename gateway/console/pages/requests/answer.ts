import type { AnswerOf } from "../../../admin_api/operations.ts";

/** A row of the list. */
export type Summary = AnswerOf<"GET /requests">["requests"][number];
/** A row as the holder of its key sees it. */
export type OwnSummary = Omit<Summary, "key" | "wallet">;
/** All that is known of a request. */
export type Detail = AnswerOf<"GET /requests/{id}">;
/** An upstream call that was tried, and when. */
export type TimedAttempt = Detail["timeline"][number];
/** The same as the holder of the key sees it, without the words of the upstream. */
export type OwnTimedAttempt = Omit<TimedAttempt, "words"> & Partial<Pick<TimedAttempt, "words">>;
/** A hold and how it ended. */
export type Hold = Detail["settlement"]["holds"][number];
/** A task of a split request; its answer is the last of them. */
export type Task = NonNullable<Detail["tasks"]>[number];
