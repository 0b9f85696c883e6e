import type { Answering } from "../http/public_app.ts";
import type { KeyPageParts } from "./parts.ts";

/** Returns the pages of key holders. Their code is loaded with the first request for one. */
export function mountKeyPages(parts: KeyPageParts): Answering {
  let loading: Promise<Answering> | undefined;
  const load = () => {
    loading ??= import("./mod.ts").then(({ createKeyPages }) => createKeyPages(parts));
    // A load that failed is tried again with the next request.
    loading.catch(() => loading = undefined);
    return loading;
  };
  return { fetch: async (request, facts) => await (await load()).fetch(request, facts) };
}
