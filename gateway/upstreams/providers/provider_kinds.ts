import type { TraitsOf } from "../../domain/catalog/provider_traits.ts";
import type { OpenAIProtocol, ProviderDescriptor, TranslatedProtocol } from "./descriptor.ts";
import * as registry from "./registry.ts";

const ORDER = ["openai", "translated", "simulator"] as const;

/** The provider kinds: those of OpenAI's wire format first, the simulator last, each by name. */
export const PROVIDERS: readonly ProviderDescriptor[] = Object.values<ProviderDescriptor>(registry)
  .toSorted((one, other) =>
    ORDER.indexOf(one.protocol.name) - ORDER.indexOf(other.protocol.name) ||
    one.kind.localeCompare(other.kind)
  );

const BY_KIND = new Map(PROVIDERS.map((provider) => [provider.kind, provider]));

/** Returns the descriptor of a kind. */
export function providerOf(kind: string): ProviderDescriptor | undefined {
  return BY_KIND.get(kind);
}

/** Returns the traits of a kind. */
export const traitsOf: TraitsOf = (kind) => BY_KIND.get(kind)?.traits ?? {};

/** A provider kind whose requests are translated. */
export interface TranslatedProvider extends ProviderDescriptor {
  readonly protocol: TranslatedProtocol;
}

/** True for a kind whose requests are translated. */
export function isTranslated(provider: ProviderDescriptor): provider is TranslatedProvider {
  return provider.protocol.name === "translated";
}

/** Returns the protocol of a kind that uses OpenAI's wire format; without differences for any other. */
export function openAIProtocolOf(kind: string): OpenAIProtocol {
  const protocol = BY_KIND.get(kind)?.protocol;
  return protocol?.name === "openai" ? protocol : { name: "openai" };
}
