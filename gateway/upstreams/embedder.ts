import type { Catalog } from "../domain/catalog/catalog.ts";
import type { Embedder } from "../ports/embedder.ts";
import { type EmbedderDeps, OpenAICompatibleEmbedder } from "./openai_compatible/embeddings.ts";

/** Dependencies of embedders, and the catalog in force. */
export interface EmbedderInForceDeps extends Omit<EmbedderDeps, "upstream"> {
  readonly catalog: () => Catalog;
}

/**
 * Returns a function that looks up the embedder of the catalog in force; `undefined` where it names
 * none.
 */
export function embedderInForce(deps: EmbedderInForceDeps): () => Embedder | undefined {
  const known = new WeakMap<Catalog, Embedder>();
  return () => {
    const catalog = deps.catalog();
    const config = catalog.vectorStores?.embeddings;
    const upstream = catalog.upstreams.find(({ id }) => id === config?.upstream);
    if (config === undefined || upstream === undefined) return undefined;
    const embedder = known.get(catalog) ??
      new OpenAICompatibleEmbedder(config, { ...deps, upstream });
    known.set(catalog, embedder);
    return embedder;
  };
}
