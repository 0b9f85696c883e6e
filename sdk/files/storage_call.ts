import { MODELLESS_KINDS, type ModellessOptions } from "../ask.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import type { ListQuery, VectorStoreFileListQuery } from "../protocol/mod.ts";
import type { TransportCall } from "../transport.ts";

/** The kinds of the members that every query of a list has. */
export const LIST_KINDS: OptionKinds<ListQuery> = {
  ...{ limit: "number", order: "text", after: "text", before: "text" },
};

/** The kinds of the members of a query of files of a vector store. */
export const STORE_FILE_KINDS: OptionKinds<VectorStoreFileListQuery> = {
  ...LIST_KINDS,
  filter: "text",
};

/** Returns a call about files or vector stores, with its options checked. */
export function storageCall(
  call: Pick<TransportCall, "method" | "path" | "body" | "form">,
  options: ModellessOptions,
): TransportCall {
  checkOptions(options, MODELLESS_KINDS, { of: "a call" });
  return { ...call, base: "openai", isModelless: true, ...options };
}
