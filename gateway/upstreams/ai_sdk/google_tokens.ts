import { sign } from "node:crypto";
import type { UpstreamTimeouts } from "../../domain/catalog/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import { MAX_ERROR_BYTES, parseObject, readText } from "../openai_compatible/body.ts";
import { Exchange } from "../openai_compatible/exchange.ts";
import { redact } from "../openai_compatible/failure.ts";
import { type Dial, Reachability } from "../openai_compatible/reachability.ts";
import { AccessError, type ServiceAccount, serviceAccountOf } from "./credentials.ts";

/** Dependencies of access tokens. */
export interface GoogleTokensDeps {
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /**
   * Connects to the token endpoint's host, to check that it is reachable; absent behind a proxy.
   */
  readonly dial: Dial | undefined;
  /** Reads the JSON key of the service account. */
  readonly readAccount: () => Promise<string>;
  /** Time limits of the upstream; a token may take {@linkcode MAX_TOKEN_MS} at most. */
  readonly timeouts: UpstreamTimeouts;
}

/** Maximum wait for the token endpoint, in milliseconds. */
export const MAX_TOKEN_MS = 10_000;

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME_S = 3_600;
// Minimum remaining life of a token, so that it does not expire during a call.
const MARGIN_MS = 300_000;

interface Token {
  readonly text: string;
  /** Time of the renewal, on the monotonic clock. */
  readonly renewMs: number;
  readonly expiresMs: number;
}

/**
 * Access tokens of a service account (RFC 7523): a signed assertion is exchanged for a token, which
 * is used until shortly before it expires. Concurrent calls share one request for a token.
 */
export class GoogleTokens {
  readonly #deps: GoogleTokensDeps;
  readonly #closing = new AbortController();
  #token: Token | undefined;
  #renewing: Promise<Token> | undefined;

  /** Requests no token yet. */
  constructor(deps: GoogleTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a token that is valid for some minutes. Rejects with an {@linkcode AccessError}, or as
   * the signal aborts.
   */
  async get(signal: AbortSignal): Promise<string> {
    const current = this.#token;
    const nowMs = this.#deps.clock.monotonicMs();
    if (current !== undefined && nowMs < current.renewMs) return current.text;
    try {
      return (await unlessAborted(this.#renew(), signal)).text;
    } catch (error) {
      // The old token is still valid, and the endpoint may recover before it expires.
      const isGood = current !== undefined && this.#deps.clock.monotonicMs() < current.expiresMs;
      if (isGood && !signal.aborted) return current.text;
      throw error;
    }
  }

  /** Forgets a token that the provider has refused; the next call requests a new one. */
  forget(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  /** Aborts requests in flight. */
  close(): void {
    this.#closing.abort();
  }

  #renew(): Promise<Token> {
    // The request does not depend on the first call's signal, because other calls wait for it too.
    return this.#renewing ??= this.#ask().then((token) => this.#token = token)
      .finally(() => this.#renewing = undefined);
  }

  async #ask(): Promise<Token> {
    const account = serviceAccountOf(await this.#readAccount());
    if (typeof account === "string") throw new AccessError(account);
    const { clock, dial, fetch, timeouts } = this.#deps;
    const exchange = new Exchange(this.#closing.signal, {
      fetch,
      clock,
      host: new Reachability(new URL(account.tokenUri), { dial, clock }),
      timeouts: {
        connectMs: Math.min(timeouts.connectMs, MAX_TOKEN_MS),
        firstByteMs: Math.min(timeouts.firstByteMs, MAX_TOKEN_MS),
        idleMs: Math.min(timeouts.idleMs, MAX_TOKEN_MS),
      },
    });
    try {
      return await this.#exchange(account, exchange);
    } catch (cause) {
      if (cause instanceof AccessError) throw cause;
      const why = exchange.stopped ?? redact(cause instanceof Error ? cause.message : `${cause}`);
      throw new AccessError(`The token endpoint was not reached: ${why}`, { cause });
    } finally {
      exchange.abandon();
    }
  }

  async #readAccount(): Promise<string> {
    try {
      return await this.#deps.readAccount();
    } catch (cause) {
      throw new AccessError("The credentials file cannot be read", { cause });
    }
  }

  async #exchange(account: ServiceAccount, exchange: Exchange): Promise<Token> {
    const { clock } = this.#deps;
    const askedMs = clock.monotonicMs();
    const response = await exchange.open(account.tokenUri, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: assertionOf(account, clock.nowMs()),
      }).toString(),
    });
    const text = await readText(response, exchange, { maxBytes: MAX_ERROR_BYTES });
    const answer = parseObject(text ?? "");
    if (response.status !== 200) {
      const words = answer?.["error_description"] ?? answer?.["error"];
      const why = typeof words === "string" ? `: ${redact(words)}` : "";
      throw new AccessError(`The token endpoint answered ${response.status}${why}`);
    }
    const { access_token, expires_in } = answer ?? {};
    const lifetimeMs = Number(expires_in) * 1_000;
    if (typeof access_token !== "string" || access_token === "" || !(lifetimeMs > 0)) {
      throw new AccessError("The token endpoint's answer holds no token");
    }
    const expiresMs = askedMs + lifetimeMs;
    const renewMs = expiresMs - Math.min(MARGIN_MS, lifetimeMs / 2);
    return { text: access_token, expiresMs, renewMs };
  }
}

/** Returns the assertion, signed with the account's key. */
function assertionOf(account: ServiceAccount, nowMs: number): string {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = account;
  const iat = Math.floor(nowMs / 1_000);
  const head = { alg: "RS256", typ: "JWT", kid: privateKeyId };
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUri, iat, exp: iat + LIFETIME_S };
  const encoder = new TextEncoder();
  const signed = [head, claims]
    .map((part) => base64Url(encoder.encode(JSON.stringify(part))))
    .join(".");
  try {
    return `${signed}.${base64Url(sign("RSA-SHA256", encoder.encode(signed), privateKey))}`;
  } catch {
    // Without the cause: it may quote the key.
    throw new AccessError("The credentials' private_key is no RSA key in PEM");
  }
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Resolves with the work's result, or rejects when the signal aborts; the work continues. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
