/**
 * Requests to servers that the operator named: to addresses that were checked, and with answers whose
 * size can be counted.
 *
 * @module
 */

import { isMetadataHost } from "../domain/catalog/metadata_address.ts";
import { unpacked } from "./unpacked.ts";

/** Addresses of a name, as the system resolves it. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Options of sending. */
export interface OutgoingOptions {
  /** Looks up the variables that name a proxy, which then resolves names itself. */
  readonly env: (name: string) => string | undefined;
  /** Connections that are kept. @default {those that the whole process shares} */
  readonly pool?: Pick<Deno.CreateHttpClientOptions, "poolMaxIdlePerHost" | "poolIdleTimeout">;
  /** A name that may lead to any address: the operator said so. */
  readonly trustedHost?: string | undefined;
  /** @default {the system's resolver} */
  readonly resolve?: Resolve | undefined;
}

/** Resolved addresses are good for so many milliseconds. */
const FRESH_MS = 10_000;
/** Names whose addresses are remembered. */
const NAMES_MAX = 100;
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
const LITERAL = /^\[|^[\d.]+$/;

/** True where requests go through a proxy, which connects in place of this process. */
export function isProxied(env: (name: string) => string | undefined): boolean {
  return PROXY_VARIABLES.some((name) => Boolean(env(name) ?? env(name.toLowerCase())));
}

/** A name leads to where no upstream is. */
export class ForbiddenAddress extends Error {
  override name = "ForbiddenAddress";
}

interface Checked {
  readonly address: string;
  readonly untilMs: number;
}

/**
 * A `fetch` that resolves each name, and refuses those that lead to a metadata service or a link-local
 * address: `--deny-net` does not see an IPv4 address inside an IPv6 one.
 *
 * A name may lead elsewhere a moment later. Plain HTTP is therefore sent to the checked address itself.
 * TLS cannot be, since the platform speaks none to an address that it is given; there the certificate
 * proves the name before anything is sent.
 */
export class Outgoing implements Disposable {
  readonly #options: OutgoingOptions;
  readonly #isProxied: boolean;
  readonly #checked = new Map<string, Checked>();
  /** Addresses at which the last request to a host failed: another may answer. */
  readonly #failed = new Map<string, string>();
  /** For each address that plain HTTP is sent to. */
  readonly #pinned = new Map<string, Deno.HttpClient>();
  #shared: Deno.HttpClient | undefined;

  /** Opens nothing yet. */
  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#isProxied = isProxied(options.env);
  }

  /** Sends a request. Rejects with a {@linkcode ForbiddenAddress} before anything is sent. */
  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const given = input instanceof Request ? input.headers : undefined;
    const headers = new Headers(init.headers ?? given);
    // The platform unpacks what it asked for packed before anybody can count.
    headers.set("accept-encoding", "identity");
    const known = this.#addressOf(url, init.signal ?? undefined);
    const address = known instanceof Promise ? await known : known;
    try {
      const client = this.#clientOf(url, address);
      const sent = { ...init, headers, ...(client === undefined ? {} : { client }) };
      return unpacked(await fetch(input, sent));
    } catch (error) {
      if (address !== undefined && !init.signal?.aborted) this.#failed.set(url.hostname, address);
      this.#checked.delete(url.hostname);
      throw error;
    }
  };

  /** Closes idle connections; to be called once no request is under way. */
  close(): void {
    this.#shared?.close();
    this.#shared = undefined;
    for (const client of this.#pinned.values()) client.close();
    this.#pinned.clear();
  }

  /** The same. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** The address to connect to; `undefined` where the URL says it, or another may choose. */
  #addressOf(url: URL, signal: AbortSignal | undefined): Promise<string> | string | undefined {
    const { hostname } = url;
    if (this.#isProxied || hostname === this.#options.trustedHost) return undefined;
    if (LITERAL.test(hostname)) {
      if (isMetadataHost(hostname)) throw forbidden(hostname, hostname);
      return undefined;
    }
    const checked = this.#checked.get(hostname);
    if (checked !== undefined && performance.now() < checked.untilMs) return checked.address;
    return this.#resolve(hostname, signal);
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
    const known = this.#pinned.get(name);
    if (known !== undefined) return known;
    // Requests under way have connections of their own.
    if (this.#pinned.size >= NAMES_MAX) this.close();
    const hostname = address.includes(":") ? `[${address}]` : address;
    const proxy = { transport: "tcp", hostname, port } as const;
    const client = Deno.createHttpClient({ ...pool, proxy });
    this.#pinned.set(name, client);
    return client;
  }
}

async function resolveBySystem(name: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  // IPv4 first: machines without a way out over IPv6 are many, those without IPv4 are few.
  const found = await lookup(name, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
}

/** A resolver cannot be stopped; its answer no longer matters then. */
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
