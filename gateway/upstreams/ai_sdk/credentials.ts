/**
 * Credentials of upstreams: a key, the keys of an Amazon account, or a Google service account; and the
 * access that one request gets from them.
 *
 * @module
 */

import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { parseObject } from "../openai_compatible/body.ts";

/** Keys of an Amazon account, which sign requests. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

/** Members of a service account's JSON key. */
export interface ServiceAccount {
  readonly clientEmail: string;
  /** In PEM. */
  readonly privateKey: string;
  readonly privateKeyId?: string | undefined;
  /** Address that issues access tokens. */
  readonly tokenUri: string;
}

/** Credentials, as the configuration and the environment have them. */
export type Credentials =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "aws"; readonly keys: AwsKeys }
  /** JSON text of a service account, read again for every token so that files can be replaced. */
  | { readonly kind: "service-account"; readonly read: () => Promise<string> }
  /** No call is possible; the message is for the operator. */
  | { readonly kind: "missing"; readonly message: string };

/** Access of one request. */
export type Access =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "aws"; readonly keys: AwsKeys };

/** Returns the parts of an access that no message may repeat. */
export function secretsOf(access: Access): readonly string[] {
  if (access.kind !== "aws") return [secretOf(access)];
  const { accessKeyId, secretAccessKey, sessionToken } = access.keys;
  return [secretAccessKey, accessKeyId, ...(sessionToken === undefined ? [] : [sessionToken])];
}

/** Returns the secret that a provider package takes as its key. */
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

/** Returns the header that carries an access as a bearer token. */
export function bearer(access: Access): { authorization: string } {
  return { authorization: `Bearer ${secretOf(access)}` };
}

/** The operator's credentials are missing or refused. Never the caller's fault. */
export class AccessError extends Error {
  override name = "AccessError";
}

/** Sources of credentials. */
export interface CredentialSources {
  /** Reads an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Reads a file. */
  readonly readFile: (path: string) => Promise<string>;
  /** True when a key may be the JSON of a service account. */
  readonly takesServiceAccount: boolean;
}

const TOKEN_URI = "https://oauth2.googleapis.com/token";

/** Reads an upstream's credentials. */
export function credentialsOf(
  config: UpstreamConfig,
  { env, readFile, takesServiceAccount }: CredentialSources,
): Credentials {
  const { accessKeyIdEnv, apiKey, apiKeyEnv, credentialsFileEnv, id, secretAccessKeyEnv } = config;
  if (accessKeyIdEnv !== undefined && secretAccessKeyEnv !== undefined) {
    const accessKeyId = env(accessKeyIdEnv);
    const secretAccessKey = env(secretAccessKeyEnv);
    if (!accessKeyId) return notSet(accessKeyIdEnv);
    if (!secretAccessKey) return notSet(secretAccessKeyEnv);
    const { sessionTokenEnv } = config;
    const sessionToken = sessionTokenEnv === undefined ? undefined : env(sessionTokenEnv);
    const keys = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
    return { kind: "aws", keys };
  }
  if (credentialsFileEnv !== undefined) {
    const path = env(credentialsFileEnv);
    if (!path) return notSet(credentialsFileEnv);
    return { kind: "service-account", read: () => readFile(path) };
  }
  const key = apiKey ?? (apiKeyEnv === undefined ? undefined : env(apiKeyEnv));
  if (key === undefined) {
    return apiKeyEnv === undefined
      ? { kind: "missing", message: `Upstream "${id}" has no key` }
      : notSet(apiKeyEnv);
  }
  // A variable may hold the account's JSON itself: containers get secrets that way.
  return takesServiceAccount && key.trimStart().startsWith("{")
    ? { kind: "service-account", read: () => Promise.resolve(key) }
    : { kind: "key", key };
}

function notSet(variable: string): Credentials {
  return { kind: "missing", message: `Environment variable "${variable}" is not set` };
}

/** Parses the JSON key of a service account. Returns a sentence for the operator where it is none. */
export function serviceAccountOf(text: string): ServiceAccount | string {
  const account = parseObject(text);
  if (account === undefined) return "The credentials are no JSON object";
  const { client_email, private_key, private_key_id, token_uri = TOKEN_URI, type } = account;
  if (type !== undefined && type !== "service_account") {
    return `Credentials of type "${type}" are not supported, only those of a service account`;
  }
  if (typeof client_email !== "string" || typeof private_key !== "string") {
    return "The credentials lack client_email or private_key";
  }
  if (typeof token_uri !== "string" || !/^https?:$/.test(URL.parse(token_uri)?.protocol ?? "")) {
    return "The credentials name no http(s) token_uri";
  }
  return {
    clientEmail: client_email,
    privateKey: private_key,
    privateKeyId: typeof private_key_id === "string" ? private_key_id : undefined,
    tokenUri: token_uri,
  };
}
