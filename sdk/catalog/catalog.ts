import { requestIdOf } from "../answer.ts";
import type {
  Locale,
  ModelListResponse,
  ModelMetaResponse,
  PricingResponse,
} from "../protocol/mod.ts";
import type { CallOptions, WithRequestId } from "../call.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import { CALL_KINDS } from "../run/run_options.ts";
import type { Transport, TransportCall } from "../transport.ts";

/** Options of a catalog call. */
export interface CatalogOptions extends Omit<CallOptions, "auto" | "tags"> {
  /** Language of names and descriptions. @default {"en"} */
  readonly locale?: Locale | undefined;
}

/**
 * `client.models`.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const list = { success: true, data: { models: [{ id: "fast-mini" }] } };
 * const client = new ServiceClient({ fetch: () => Promise.resolve(Response.json(list)) });
 * const { data } = await client.models.list({ locale: "zh" });
 * assertEquals(data.models[0]?.id, "fast-mini");
 * ```
 */
export class Models {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the public catalog; works without a key. */
  async list(options: CatalogOptions = {}): Promise<WithRequestId<ModelListResponse>> {
    const call = { ...catalogCall("/models", options), isPublic: true };
    return await get<ModelListResponse>(this.#transport, call, ({ data }) => [data?.models]);
  }

  /** Returns the tiers, tags and providers by which the catalog can be filtered. */
  async meta(options: CatalogOptions = {}): Promise<WithRequestId<ModelMetaResponse>> {
    const call = catalogCall("/models/meta", options);
    return await get<ModelMetaResponse>(this.#transport, call, (meta) => [
      ...[meta.tiers, meta.skus, meta.featureTags, meta.industryPacks, meta.providers],
    ]);
  }
}

/**
 * `client.pricing`.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: () => Promise.resolve(Response.json({ currency: "credits", tiers: [] })),
 * });
 * assertEquals((await client.pricing.retrieve()).currency, "credits");
 * ```
 */
export class Pricing {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the price of a dollar of list price in each tier. */
  async retrieve(options: CatalogOptions = {}): Promise<WithRequestId<PricingResponse>> {
    const call = catalogCall("/pricing", options);
    return await get<PricingResponse>(this.#transport, call, ({ tiers }) => [tiers]);
  }
}

const { auto: _auto, tags: _tags, ...CATALOG_KINDS } = CALL_KINDS;
const KINDS: OptionKinds<CatalogOptions> = { ...CATALOG_KINDS, locale: "text" };

function catalogCall(path: string, options: CatalogOptions): TransportCall {
  checkOptions(options, KINDS, { of: "a call" });
  const { locale, ...rest } = options;
  const query = locale === undefined ? "" : `?locale=${encodeURIComponent(locale)}`;
  return { method: "GET", base: "api", path: `/api/v1${path}${query}`, ...rest };
}

/**
 * Throws when one of the lists is no list of objects: applications iterate them without a check.
 */
async function get<Catalog extends object>(
  transport: Transport,
  call: TransportCall,
  listsOf: (catalog: Catalog) => readonly unknown[],
): Promise<WithRequestId<Catalog>> {
  const { answer, value } = await transport.json(call);
  const catalog = value as Catalog;
  if (!listsOf(catalog).every(isListOfEntries)) {
    throw answer.error(value, "The service answered with something else than the catalog");
  }
  return { ...catalog, requestId: requestIdOf(value, answer.response) };
}

function isListOfEntries(list: unknown): boolean {
  return Array.isArray(list) && list.every((entry) => typeof entry === "object" && entry !== null);
}
