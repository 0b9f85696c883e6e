import type { SearchConfig, UpstreamConfig } from "../domain/catalog/catalog.ts";

/** An upstream whose key is in a variable that is not set. */
export interface MissingCredentials {
  /** Id of the upstream. */
  readonly upstream: string;
  /** Name of the environment variable. */
  readonly variable: string;
}

/** Returns the upstreams that cannot be called, because the variables of their keys are not set. */
export function missingCredentials(
  upstreams: readonly UpstreamConfig[],
  env: (name: string) => string | undefined,
): MissingCredentials[] {
  return upstreams.flatMap((upstream) => {
    const { accessKeyIdEnv, apiKey, apiKeyEnv, credentialsFileEnv, id } = upstream;
    // Without the token of temporary keys, because permanent keys have none.
    const named = [accessKeyIdEnv, upstream.secretAccessKeyEnv, credentialsFileEnv];
    if (apiKey === undefined) named.push(apiKeyEnv);
    return named.flatMap((variable) =>
      variable === undefined || env(variable) ? [] : [{ upstream: id, variable }]
    );
  });
}

/** Returns the message for the operator. */
export function missingCredentialsText({ upstream, variable }: MissingCredentials): string {
  return `Upstream "${upstream}" has no credentials: the environment variable ${variable} is not ` +
    "set, or the service may not read it";
}

/** Returns the name of the variable that web search needs and that is not set. */
export function missingSearchVariable(
  search: SearchConfig | undefined,
  env: (name: string) => string | undefined,
): string | undefined {
  if (search?.kind !== "brave" && search?.kind !== "tavily") return undefined;
  const { apiKey, apiKeyEnv } = search;
  return apiKey !== undefined || apiKeyEnv === undefined || env(apiKeyEnv) ? undefined : apiKeyEnv;
}

/** Returns the message for the operator. */
export function missingSearchVariableText(variable: string): string {
  return `Web search has no credentials: the environment variable ${variable} is not set, or the ` +
    "service may not read it";
}
