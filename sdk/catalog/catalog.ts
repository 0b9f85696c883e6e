import type {
  Locale,
  ModelListResponse,
  ModelMetaResponse,
  PricingResponse,
} from "../protocol/mod.ts";
import type { CallOptions } from "../chat/completions.ts";
import type { Transport } from "../transport.ts";

/** Options of a catalog call. */
export interface CatalogOptions extends CallOptions {
  /** Language of names and descriptions. @default {"en"} */
  readonly locale?: Locale | undefined;
}

/** `client.models`. */
export class Models {
  readonly #transport: Transport;

  /** Part of a client, which makes it. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the public catalog; works without a key. */
  async list(options: CatalogOptions = {}): Promise<ModelListResponse> {
    const call = catalogCall("/models", options);
    return (await this.#transport.json({ ...call, isPublic: true })).value as ModelListResponse;
  }

  /** What filters over the catalog can be built from. */
  async meta(options: CatalogOptions = {}): Promise<ModelMetaResponse> {
    const call = catalogCall("/models/meta", options);
    return (await this.#transport.json(call)).value as ModelMetaResponse;
  }
}

/** `client.pricing`. */
export class Pricing {
  readonly #transport: Transport;

  /** Part of a client, which makes it. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What a dollar of list price costs in each tier. */
  async retrieve(options: CatalogOptions = {}): Promise<PricingResponse> {
    return (await this.#transport.json(catalogCall("/pricing", options))).value as PricingResponse;
  }
}

function catalogCall(path: string, options: CatalogOptions) {
  const { locale, ...rest } = options;
  const query = locale === undefined ? "" : `?locale=${encodeURIComponent(locale)}`;
  return { method: "GET", base: "api", path: `/api/v1${path}${query}`, ...rest } as const;
}
