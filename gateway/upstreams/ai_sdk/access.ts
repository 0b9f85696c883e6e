import { type Access, AccessError, type Credentials } from "./credentials.ts";
import { GoogleTokens, type GoogleTokensDeps } from "./google_tokens.ts";

/** The source of an upstream's access: its key, or tokens that are renewed before they expire. */
export class AccessSource {
  readonly #credentials: Credentials;
  readonly #tokens: GoogleTokens | undefined;

  /** Requests no token yet. */
  constructor(credentials: Credentials, deps: Omit<GoogleTokensDeps, "readAccount">) {
    this.#credentials = credentials;
    if (credentials.kind === "service-account") {
      this.#tokens = new GoogleTokens({ ...deps, readAccount: credentials.read });
    }
  }

  /** Returns access for one request. Rejects with an {@linkcode AccessError}, or as the signal aborts. */
  async get(signal: AbortSignal): Promise<Access> {
    const credentials = this.#credentials;
    if (credentials.kind === "missing") throw new AccessError(credentials.message);
    if (credentials.kind !== "service-account") return credentials;
    return { kind: "token", token: await this.#tokens?.get(signal) ?? "" };
  }

  /** Forgets a token that the provider has refused; the next request gets a new one. */
  refused(access: Access): void {
    if (access.kind === "token") this.#tokens?.forget(access.token);
  }

  /** Aborts token requests in flight. */
  close(): void {
    this.#tokens?.close();
  }
}
