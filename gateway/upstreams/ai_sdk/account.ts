/**
 * The account of an upstream: checked before anything of its provider's package is loaded.
 *
 * @module
 */

import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { ProviderDescriptor, TranslatedProtocol } from "../providers/descriptor.ts";
import { isTranslated, providerOf } from "../providers/provider_kinds.ts";
import { type Credentials, credentialsOf, type CredentialSources } from "./credentials.ts";

/** Address, credentials and protocol of an upstream. */
export interface Account {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly protocol: TranslatedProtocol;
}

/** Returns the account of an upstream. Throws a `TypeError` where its address is not known. */
export function accountOf(
  config: UpstreamConfig,
  sources: Omit<CredentialSources, "takesServiceAccount">,
  provider: ProviderDescriptor | undefined = providerOf(config.kind),
): Account {
  const takesServiceAccount = provider?.credentials?.includes("service-account") === true;
  const credentials = credentialsOf(config, { ...sources, takesServiceAccount });
  const baseUrl = baseUrlOf(config, credentials, provider);
  if (provider === undefined || !isTranslated(provider) || baseUrl === undefined) {
    throw new TypeError(`Cannot create upstream "${config.id}": its address is not known`);
  }
  return { baseUrl, credentials, protocol: provider.protocol };
}

/** Returns the address of an upstream; `undefined` where the configuration does not say enough. */
export function baseUrlOf(
  config: UpstreamConfig,
  credentials?: Pick<Credentials, "kind">,
  provider: ProviderDescriptor | undefined = providerOf(config.kind),
): string | undefined {
  if (config.baseUrl !== undefined) return config.baseUrl.replace(/\/+$/, "");
  if (provider === undefined || !isTranslated(provider)) return undefined;
  return provider.protocol.baseUrlOf?.(config, credentials) ?? provider.defaultBaseUrl;
}
