import type { FetchFile } from "../ports/fetch_image.ts";

/**
 * Fetches a document. The code is loaded with the first fetch: the platform's `node:http` takes
 * some megabytes.
 */
export const fetchFile: FetchFile = async (url, signal) => {
  const { createGuardedFetch, DOCUMENTS } = await import("../guarded_fetch/mod.ts");
  return await createGuardedFetch({ media: DOCUMENTS })(url, signal);
};
