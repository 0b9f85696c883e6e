import { AccessError, type AwsKeys, type Credentials } from "./credentials.ts";
import { GoogleTokens, type GoogleTokensDeps } from "./google_tokens.ts";

/** What one request proves itself with. */
export type Access =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "aws"; readonly keys: AwsKeys };

/** Turns an upstream's credentials into what a request needs, with tokens that do not expire on it. */
export class AccessSource {
  readonly #credentials: Credentials;
  readonly #tokens: GoogleTokens | undefined;

  /** Asks for nothing yet. */
  constructor(credentials: Credentials, deps: Omit<GoogleTokensDeps, "readAccount">) {
    this.#credentials = credentials;
    if (credentials.kind === "service-account") {
      this.#tokens = new GoogleTokens({ ...deps, readAccount: credentials.read });
    }
  }

  /** For one request. Rejects with an {@linkcode AccessError}, or as the signal aborts. */
  async get(signal: AbortSignal): Promise<Access> {
    const credentials = this.#credentials;
    if (credentials.kind === "missing") throw new AccessError(credentials.message);
    if (credentials.kind !== "service-account") return credentials;
    return { kind: "token", token: await this.#tokens?.get(signal) ?? "" };
  }

  /** The provider has refused it: a token is asked for anew. */
  refused(access: Access): void {
    if (access.kind === "token") this.#tokens?.forget(access.token);
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#tokens?.close();
  }
}

/** What of it must never be repeated. */
export function secretsOf(access: Access): readonly string[] {
  if (access.kind !== "aws") return [secretOf(access)];
  const { accessKeyId, secretAccessKey, sessionToken } = access.keys;
  return [secretAccessKey, accessKeyId, ...(sessionToken === undefined ? [] : [sessionToken])];
}

/** What a package is given as the key. */
export function secretOf(access: Access): string {
  switch (access.kind) {
    case "key":
      return access.key;
    case "token":
      return access.token;
    case "aws":
      return access.keys.secretAccessKey;
  }
}
