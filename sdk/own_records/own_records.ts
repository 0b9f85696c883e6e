import {
  ask,
  askWithId,
  idPart,
  isList,
  isObject,
  MODELLESS_KINDS,
  type ModellessOptions,
  type Question,
  searchOf,
} from "../ask.ts";
import type { WithRequestId } from "../call.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import type { OwnKey, OwnRequest, OwnRequestList, OwnUsage, SignInLink } from "../protocol/mod.ts";
import type { Transport } from "../transport.ts";

/** Options of a call that reads a key's own records. */
export type OwnRecordsOptions = ModellessOptions;

/** A query of usage. Times are ISO 8601, UTC where they name no zone, or how long ago: `24h`, `7d`. */
export interface UsageQuery {
  /** The grouping. @default {"day"} */
  readonly by?: "day" | "model" | "user" | `tag:${string}` | undefined;
  /** A tag of the calls, as `name=value`. */
  readonly tag?: string | undefined;
  /** The user of the calls: their `user`, else their `safety_identifier`. */
  readonly user?: string | undefined;
  /** Start; at most 93 days ago. @default {30 days ago} */
  readonly since?: string | undefined;
  /** End. @default {now} */
  readonly until?: string | undefined;
  /** Maximum number of rows, up to 500. @default {50} */
  readonly limit?: number | undefined;
  /** Cursor of the page before. */
  readonly cursor?: string | undefined;
}

/**
 * A query of requests; all conditions that are given must hold. Times are ISO 8601, UTC where they
 * name no zone, or how long ago: `24h`, `7d`.
 */
export interface RequestsQuery {
  /** Their `X-Request-ID`. */
  readonly requestId?: string | undefined;
  /** Catalog id of a model that answered or was tried. */
  readonly model?: string | undefined;
  /** The endpoint by its short name, as `chat`. */
  readonly endpoint?: string | undefined;
  /** A tag of the calls, as `name=value`. */
  readonly tag?: string | undefined;
  /** The `user` or `safety_identifier` of the calls. */
  readonly user?: string | undefined;
  /** The ending, as `ok` or `error`. */
  readonly outcome?: string | undefined;
  /** A status (`429`) or a class (`4xx`). */
  readonly status?: string | undefined;
  /** Start. @default {the whole log} */
  readonly since?: string | undefined;
  /** End. @default {now} */
  readonly until?: string | undefined;
  /** By the end of requests. @default {"newest"} */
  readonly order?: "newest" | "oldest" | undefined;
  /** Maximum number of rows, up to 500. @default {50} */
  readonly limit?: number | undefined;
  /** Cursor of the page before. */
  readonly cursor?: string | undefined;
}

/**
 * `client.key`: the key itself.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for the service.
 * const key = { id: "key_1", policy: {}, spend: { total: "0.412000" }, limits: {} };
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   fetch: () => Promise.resolve(Response.json(key)),
 * });
 * assertEquals((await client.key.retrieve()).spend.total, "0.412000");
 * ```
 */
export class Key {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the key's policy, and what remains of its limits, budgets and wallet. */
  async retrieve(options: OwnRecordsOptions = {}): Promise<WithRequestId<OwnKey>> {
    const isKey = ({ id, spend, limits }: OwnKey) =>
      typeof id === "string" && isObject(spend) && isObject(limits);
    return await askWithId(this.#transport, about({ path: "/key", options, is: isKey }));
  }

  /**
   * Makes a link that signs a person in to the key's own pages, which only read. It works once, for
   * ten minutes. Give it only to those who may see the key's records; the key itself stays here.
   *
   * @throws {ServiceAPIError} `not_found`: the operator has switched the pages off.
   */
  async signInLink(options: OwnRecordsOptions = {}): Promise<WithRequestId<SignInLink>> {
    const isLink = ({ url, code }: SignInLink) =>
      typeof url === "string" && typeof code === "string";
    const call = { method: "POST", path: "/key/sign-in-link", options, is: isLink } as const;
    return await askWithId(this.#transport, about(call));
  }
}

/**
 * `client.usage`: tokens and credits of the key.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for the service.
 * const answer = { by: "model", usage: [{ model: "fast-mini", requests: 3 }], cursor: null };
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   fetch: () => Promise.resolve(Response.json(answer)),
 * });
 * const { usage } = await client.usage.retrieve({ by: "model", since: "7d" });
 * assertEquals(usage[0]?.requests, 3);
 * ```
 */
export class Usage {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns sums by day, model, user, or the value of a tag. */
  async retrieve(
    query: UsageQuery = {},
    options: OwnRecordsOptions = {},
  ): Promise<WithRequestId<OwnUsage>> {
    checkOptions(query, USAGE_KINDS, { of: "a query" });
    const path = `/usage${searchOf({ ...query })}`;
    const isUsage = ({ usage }: OwnUsage) => isList(usage);
    return await askWithId(this.#transport, about({ path, options, is: isUsage }));
  }
}

/**
 * `client.requests`: the log of the key's own requests, without text.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for the service.
 * const answer = { requests: [{ id: "log_1", charged: "0.412000" }], cursor: null, start: null };
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   fetch: () => Promise.resolve(Response.json(answer)),
 * });
 * const { requests } = await client.requests.list({ since: "24h" });
 * assertEquals(requests[0]?.charged, "0.412000");
 * ```
 */
export class Requests {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns a page of the requests, newest first. */
  async list(
    query: RequestsQuery = {},
    options: OwnRecordsOptions = {},
  ): Promise<WithRequestId<OwnRequestList>> {
    checkOptions(query, REQUESTS_KINDS, { of: "a query" });
    const { requestId: request_id, ...rest } = query;
    const path = `/requests${searchOf({ request_id, ...rest })}`;
    const isPage = ({ requests }: OwnRequestList) => isList(requests);
    return await askWithId(this.#transport, about({ path, options, is: isPage }));
  }

  /**
   * Returns one request with its route, bill and tasks. Its `requestId` is that of the request.
   *
   * @throws {ServiceAPIError} `not_found`: the key has no such request; `conflict`: several have the
   * id, and `body.log_ids` names them.
   */
  async retrieve(id: string, options: OwnRecordsOptions = {}): Promise<OwnRequest> {
    const path = `/requests/${idPart(id, "a request")}`;
    const isRequest = ({ settlement, timeline }: OwnRequest) =>
      isObject(settlement) && isList(timeline);
    const { value } = await ask(this.#transport, about({ path, options, is: isRequest }));
    return value;
  }
}

const PAGE_KINDS = { since: "text", until: "text", limit: "number", cursor: "text" } as const;
const USAGE_KINDS: OptionKinds<UsageQuery> = {
  ...{ by: "text", tag: "text", user: "text" },
  ...PAGE_KINDS,
};
const REQUESTS_KINDS: OptionKinds<RequestsQuery> = {
  ...{ requestId: "text", model: "text", endpoint: "text", outcome: "text", status: "text" },
  ...{ tag: "text", user: "text", order: "text", ...PAGE_KINDS },
};

/** A question about the key's records. */
interface RecordsQuestion<Value> {
  /** @default {"GET"} */
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly options: OwnRecordsOptions;
  readonly is: (value: Value) => boolean;
}

/** Returns the call of a question, with its options checked. */
function about<Value>(
  { method = "GET", path, options, is }: RecordsQuestion<Value>,
): Question<Value> {
  checkOptions(options, MODELLESS_KINDS, { of: "a call" });
  const call = { method, base: "api", path: `/api/v1${path}` } as const;
  return { ...call, ...options, is, of: "the key's records" };
}
