/**
 * Rules for upstreams that involve more than one field. They come from the descriptors of the provider
 * kinds.
 *
 * @module
 */

import type { CredentialsForm, ProviderDescriptor } from "../upstreams/providers/descriptor.ts";
import { providerOf, PROVIDERS } from "../upstreams/providers/provider_kinds.ts";
import type { ConfigFile, ConfigModel, ConfigUpstream } from "./schema.ts";

/** Returns the problems of an upstream, each as `field: sentence`. */
export function upstreamProblems(upstream: ConfigUpstream): string[] {
  const { apiKey, apiKeyEnv, baseUrl, kind, outputLimitField } = upstream;
  const provider = providerOf(kind);
  const problems: string[] = [];
  const hasAddress = provider?.protocol.name !== "openai" || provider.defaultBaseUrl !== undefined;
  if (!hasAddress && baseUrl === undefined) {
    problems.push(`baseUrl: An "${kind}" upstream needs its address`);
  }
  const problem = misplacedCredentials(upstream) ?? missingCredentials(upstream) ??
    provider?.problemOf?.(upstream);
  if (problem !== undefined) problems.push(problem);
  if (outputLimitField !== undefined && provider?.takesOutputLimitField !== true) {
    problems.push(
      `outputLimitField: An upstream of kind "${kind}" takes the output limit in one way only`,
    );
  }
  if (apiKey !== undefined && apiKeyEnv !== undefined) {
    problems.push("apiKey: Give either the key or the name of its variable");
  }
  return problems;
}

function missingCredentials(upstream: ConfigUpstream): string | undefined {
  const { accessKeyIdEnv, apiKey, apiKeyEnv, credentialsFileEnv, kind } = upstream;
  const names = [apiKey, apiKeyEnv, accessKeyIdEnv, credentialsFileEnv];
  const isMissing = names.every((name) => name === undefined);
  return providerOf(kind)?.needsCredentials === true && isMissing
    ? `apiKeyEnv: An upstream of kind "${kind}" needs a key, or the name of its variable`
    : undefined;
}

/** Returns the problem of credentials that a kind does not use, or that contradict each other. */
function misplacedCredentials(upstream: ConfigUpstream): string | undefined {
  const { accessKeyIdEnv, apiKey, apiKeyEnv, credentialsFileEnv, kind } = upstream;
  const { secretAccessKeyEnv, sessionTokenEnv } = upstream;
  const signs = [accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv];
  if (!takes(kind, "aws-keys") && signs.some((name) => name !== undefined)) {
    return `accessKeyIdEnv: Only an upstream of kind ${kindsWith("aws-keys")} is signed for`;
  }
  if (!takes(kind, "service-account") && credentialsFileEnv !== undefined) {
    const kinds = kindsWith("service-account");
    return `credentialsFileEnv: Only an upstream of kind ${kinds} takes a service account`;
  }
  if ((accessKeyIdEnv === undefined) !== (secretAccessKeyEnv === undefined)) {
    return "secretAccessKeyEnv: Name both variables, accessKeyIdEnv and secretAccessKeyEnv";
  }
  if (sessionTokenEnv !== undefined && accessKeyIdEnv === undefined) {
    return "sessionTokenEnv: Name accessKeyIdEnv and secretAccessKeyEnv too";
  }
  const hasKey = apiKey !== undefined || apiKeyEnv !== undefined;
  if (hasKey && (accessKeyIdEnv ?? credentialsFileEnv) !== undefined) {
    return "apiKeyEnv: Give one kind of credentials";
  }
  return undefined;
}

function takes(kind: string, form: CredentialsForm): boolean {
  return providerOf(kind)?.credentials?.includes(form) === true;
}

function kindsWith(form: CredentialsForm): string {
  return listed(PROVIDERS.flatMap(({ kind }) => takes(kind, form) ? [kind] : []));
}

/** Returns the problem of embeddings at an upstream whose kind has none. */
export function embeddingsProblem({ upstreams, vectorStores }: {
  readonly upstreams: readonly (ConfigUpstream | undefined)[];
  readonly vectorStores?: ConfigFile["vectorStores"];
}): string[] {
  const named = vectorStores?.embeddings?.upstream;
  const kind = upstreams.find((one) => named !== undefined && one?.id === named)?.kind;
  const isFit = ({ embeds, protocol }: ProviderDescriptor) =>
    embeds === true && protocol.name === "openai";
  const provider = kind === undefined ? undefined : providerOf(kind);
  if (kind === undefined || (provider !== undefined && isFit(provider))) return [];
  const kinds = listed(PROVIDERS.flatMap((one) => isFit(one) ? [one.kind] : []));
  return [
    `vectorStores.embeddings.upstream: Upstream "${named}" is of kind "${kind}"; embeddings need ` +
    `one of kind ${kinds}`,
  ];
}

/**
 * Returns the problems of a model with image endpoints at an upstream whose kind draws no images, and
 * of embeddings at one that embeds no texts.
 */
export function endpointProblems({ endpoints }: ConfigModel, kind: string): string[] {
  const { draws, embeds } = providerOf(kind) ?? {};
  return endpoints.flatMap((endpoint, at) => {
    const lacks = endpoint.startsWith("images.") && draws !== true
      ? "draws no images"
      : endpoint === "embeddings" && embeds !== true
      ? "embeds no texts"
      : undefined;
    return lacks === undefined ? [] : [`endpoints.${at}: An upstream of kind "${kind}" ${lacks}`];
  });
}

function listed(kinds: readonly string[]): string {
  return kinds.map((kind) => `"${kind}"`).join(" or ");
}
