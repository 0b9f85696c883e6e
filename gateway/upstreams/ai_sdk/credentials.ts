/**
 * What an upstream proves itself with: a key, the keys of an Amazon account, or a Google service
 * account.
 *
 * @module
 */

import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { parseObject } from "../openai_compatible/body.ts";

/** Keys of an Amazon account: requests are signed with them. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

/** The members of a service account's JSON key that matter here. */
export interface ServiceAccount {
  readonly clientEmail: string;
  /** In PEM. */
  readonly privateKey: string;
  readonly privateKeyId?: string | undefined;
  /** Where access tokens are asked for. */
  readonly tokenUri: string;
}

/** What the configuration and the environment come to. */
export type Credentials =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "aws"; readonly keys: AwsKeys }
  /** The JSON text of a service account; read again for every token, so that files can be replaced. */
  | { readonly kind: "service-account"; readonly read: () => Promise<string> }
  /** Nothing can be called; the message is for the operator. */
  | { readonly kind: "missing"; readonly message: string };

/** A call cannot be made under the operator's name: never the caller's fault. */
export class AccessError extends Error {
  override name = "AccessError";
}

/** Where credentials are looked for. */
export interface CredentialSources {
  /** Looks an environment variable up. */
  readonly env: (name: string) => string | undefined;
  /** Reads a file. */
  readonly readFile: (path: string) => Promise<string>;
}

const TOKEN_URI = "https://oauth2.googleapis.com/token";

/** Finds an upstream's credentials. */
export function credentialsOf(
  config: UpstreamConfig,
  { env, readFile }: CredentialSources,
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
  return config.kind === "google-vertex" && key.trimStart().startsWith("{")
    ? { kind: "service-account", read: () => Promise.resolve(key) }
    : { kind: "key", key };
}

function notSet(variable: string): Credentials {
  return { kind: "missing", message: `Environment variable "${variable}" is not set` };
}

/** Reads the JSON key of a service account; a sentence for the operator where it is none. */
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
