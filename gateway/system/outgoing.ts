/**
 * Requests to servers that the operator configured: to checked addresses, with responses of bounded
 * size.
 *
 * @module
 */

import { isMetadataHost } from "../domain/catalog/metadata_address.ts";
import { decompressBody } from "./decompress_body.ts";
import type { PlainAnswer } from "./plain_answer.ts";
import type { PlainHttp, PlainRequest, Stopping } from "./plain_http.ts";

/** Resolves a name to addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Options of {@linkcode Outgoing}. */
export interface OutgoingOptions {
  /** Returns the variables that name a proxy, which then resolves names itself. */
  readonly env: (name: string) => string | undefined;
  /** Connection pool. @default {the process's own} */
  readonly pool?: Pick<Deno.CreateHttpClientOptions, "poolMaxIdlePerHost" | "poolIdleTimeout">;
  /** A name that may resolve to any address, as configured by the operator. */
  readonly trustedHost?: string | undefined;
  /** @default {the system's resolver} */
  readonly resolve?: Resolve | undefined;
}

/** A POST to a server that the operator configured. */
export type PlainPost = Pick<PlainRequest, "headers" | "body"> & { readonly stopping: Stopping };

/** See {@linkcode Outgoing.plain}. */
export type SendPlain = (url: string, request: PlainPost) => Promise<PlainAnswer | Response>;

/** A request whose signal is read only where it is needed. */
interface Signalled {
  readonly signal: AbortSignal | undefined;
}

/** Time for which resolved addresses are used, in milliseconds. */
const FRESH_MS = 10_000;
/** Maximum number of names whose addresses are remembered. */
const NAMES_MAX = 100;
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
const ACCEPT_ENCODING = "accept-encoding";
const IDENTITY = "identity";
const LITERAL = /^\[|^[\d.]+$/;

/** True when requests go through a proxy, which connects in place of this process. */
export function isProxied(env: (name: string) => string | undefined): boolean {
  return PROXY_VARIABLES.some((name) => Boolean(env(name) ?? env(name.toLowerCase())));
}

/** A name resolves to an address at which no upstream runs. */
export class ForbiddenAddress extends Error {
  override name = "ForbiddenAddress";
}

interface Checked {
  readonly address: string;
  readonly untilMs: number;
}

/**
 * A `fetch` that resolves each name, and refuses those that lead to a metadata service or a
 * link-local address: `--deny-net` does not see an IPv4 address inside an IPv6 one.
 *
 * A name may resolve differently a moment later. Plain HTTP is therefore sent to the checked
 * address itself. The platform cannot do so for TLS; there the certificate proves the name before
 * anything is sent.
 */
export class Outgoing implements Disposable {
  readonly #options: OutgoingOptions;
  readonly #isProxied: boolean;
  readonly #checked = new Map<string, Checked>();
  readonly #urls = new Map<string, URL>();
  /** Literal addresses that may be called. */
  readonly #allowed = new Set<string>();
  /** Addresses at which the last request to a host failed: another may answer. */
  readonly #failed = new Map<string, string>();
  /** A client for each address of plain HTTP. */
  readonly #pinned = new Map<string, Deno.HttpClient>();
  #shared: Deno.HttpClient | undefined;
  #plain: PlainHttp | undefined;

  /** Opens no connection yet. */
  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#isProxied = isProxied(options.env);
  }

  /** Sends a request. Rejects with a {@linkcode ForbiddenAddress} before anything is sent. */
  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const inputHeaders = input instanceof Request ? input.headers : undefined;
    const headers = withoutCompression(init.headers ?? inputHeaders);
    const pending = this.#addressOf(url, { signal: init.signal ?? undefined });
    const address = pending instanceof Promise ? await pending : pending;
    try {
      const client = this.#clientOf(url, address);
      const request = { ...init, headers, ...(client === undefined ? {} : { client }) };
      return decompressBody(await fetch(input, request));
    } catch (error) {
      if (address !== undefined && !init.signal?.aborted) this.#failed.set(url.hostname, address);
      this.#checked.delete(url.hostname);
      throw error;
    }
  };

  /**
   * Sends a POST over plain HTTP, see {@linkcode PlainHttp}; absent where requests go through a
   * proxy. Rejects with a {@linkcode ForbiddenAddress} before anything is sent. A compressed answer
   * is a `Response`, which decompresses it step by step.
   */
  get plain(): SendPlain | undefined {
    return this.#isProxied ? undefined : this.#postPlain;
  }

  readonly #postPlain: SendPlain = async (input, request) => {
    const url = this.#parsed(input);
    const pending = this.#addressOf(url, request.stopping);
    const address = pending instanceof Promise ? await pending : pending;
    try {
      if (this.#plain === undefined) {
        // The library takes some megabytes.
        const { PlainHttp } = await import("./plain_http.ts");
        this.#plain ??= new PlainHttp(this.#options.pool);
      }
      const headers = { ...request.headers, "accept-encoding": "identity" };
      const answer = await this.#plain.send({ ...request, headers, url, address });
      return answer.headers.has("content-encoding") ? decompressBody(answer.fetched()) : answer;
    } catch (error) {
      if (address !== undefined && !request.stopping.isStopped) {
        this.#failed.set(url.hostname, address);
      }
      this.#checked.delete(url.hostname);
      throw error;
    }
  };

  /** Returns the URL of a text, which is one of the few that an upstream has. */
  #parsed(input: string): URL {
    const known = this.#urls.get(input);
    if (known !== undefined) return known;
    const url = new URL(input);
    if (this.#urls.size >= NAMES_MAX) this.#urls.clear();
    this.#urls.set(input, url);
    return url;
  }

  /** Closes idle connections; call it once no request is in flight. */
  close(): void {
    this.#shared?.close();
    this.#shared = undefined;
    this.#closePinned();
    this.#plain?.close();
    this.#plain = undefined;
  }

  #closePinned(): void {
    for (const client of this.#pinned.values()) client.close();
    this.#pinned.clear();
  }

  /** Closes idle connections. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Returns the address to connect to; `undefined` when the URL contains it, or a proxy resolves
   * the name.
   */
  #addressOf(url: URL, stopping: Signalled): Promise<string> | string | undefined {
    const { hostname } = url;
    if (this.#isProxied || hostname === this.#options.trustedHost) return undefined;
    if (this.#allowed.has(hostname)) return undefined;
    if (LITERAL.test(hostname)) {
      if (isMetadataHost(hostname)) throw forbidden(hostname, hostname);
      if (this.#allowed.size >= NAMES_MAX) this.#allowed.clear();
      this.#allowed.add(hostname);
      return undefined;
    }
    const checked = this.#checked.get(hostname);
    if (checked !== undefined && performance.now() < checked.untilMs) return checked.address;
    return this.#resolve(hostname, stopping.signal);
  }

  async #resolve(hostname: string, signal: AbortSignal | undefined): Promise<string> {
    const resolve = this.#options.resolve ?? resolveBySystem;
    const addresses = await raced(resolve(hostname.replace(/\.$/, "")), signal);
    const bad = addresses.find((address) => isMetadataHost(address));
    if (bad !== undefined) throw forbidden(hostname, bad);
    const last = this.#checked.get(hostname)?.address;
    const failed = this.#failed.get(hostname);
    this.#failed.delete(hostname);
    const address = addresses.find((one) => one === last) ??
      addresses.find((one) => one !== failed) ?? addresses[0];
    if (address === undefined) throw new TypeError(`The name "${hostname}" has no address`);
    if (this.#checked.size >= NAMES_MAX) this.#checked.clear();
    this.#checked.set(hostname, { address, untilMs: performance.now() + FRESH_MS });
    return address;
  }

  #clientOf(url: URL, address: string | undefined): Deno.HttpClient | undefined {
    const { pool } = this.#options;
    if (address === undefined || url.protocol !== "http:") {
      if (pool !== undefined) this.#shared ??= Deno.createHttpClient(pool);
      return this.#shared;
    }
    const port = Number(url.port || 80);
    const name = `${url.hostname} ${address} ${port}`;
    const existing = this.#pinned.get(name);
    if (existing !== undefined) return existing;
    // Requests in flight have their own connections.
    if (this.#pinned.size >= NAMES_MAX) this.#closePinned();
    const hostname = address.includes(":") ? `[${address}]` : address;
    const proxy = { transport: "tcp", hostname, port } as const;
    const client = Deno.createHttpClient({ ...pool, proxy });
    this.#pinned.set(name, client);
    return client;
  }
}

/**
 * Returns headers that ask for no compression: the platform decompresses what it asked for compressed
 * before bytes can be counted. A record stays one, because the platform converts it for a third of
 * what an object of headers costs.
 */
function withoutCompression(given: HeadersInit | undefined): HeadersInit {
  if (given !== undefined && !(given instanceof Headers) && !Array.isArray(given)) {
    const names = Object.keys(given);
    if (names.every((name) => name.toLowerCase() !== ACCEPT_ENCODING)) {
      return { ...given, [ACCEPT_ENCODING]: IDENTITY };
    }
  }
  const headers = new Headers(given);
  headers.set(ACCEPT_ENCODING, IDENTITY);
  return headers;
}

async function resolveBySystem(name: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  // IPv4 first: machines without an IPv6 route are many, those without IPv4 are few.
  const addresses = await lookup(name, { all: true, order: "ipv4first" });
  return addresses.map(({ address }) => address);
}

/** Rejects when aborted. A resolver cannot be stopped; its late answer is ignored. */
function raced<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function forbidden(hostname: string, address: string): ForbiddenAddress {
  return new ForbiddenAddress(
    `"${hostname}" leads to ${address}, which is link-local or a cloud's metadata service; name it ` +
      "as the upstream's trustedHost where it is meant",
  );
}
