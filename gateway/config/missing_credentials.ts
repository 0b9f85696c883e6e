import type { UpstreamConfig } from "../domain/catalog.ts";

/** An upstream whose key is in a variable that is not set. */
export interface MissingCredentials {
  /** Its id. */
  readonly upstream: string;
  /** Name of the environment variable. */
  readonly variable: string;
}

/** The upstreams that cannot be called, because the variables of their keys are not set. */
export function missingCredentials(
  upstreams: readonly UpstreamConfig[],
  env: (name: string) => string | undefined,
): MissingCredentials[] {
  return upstreams.flatMap(({ id, apiKey, apiKeyEnv }) =>
    apiKey !== undefined || apiKeyEnv === undefined || env(apiKeyEnv)
      ? []
      : [{ upstream: id, variable: apiKeyEnv }]
  );
}

/** The sentence that says so to the operator. */
export function missingCredentialsText({ upstream, variable }: MissingCredentials): string {
  return `Upstream "${upstream}" has no credentials: the environment variable ${variable} is not ` +
    "set, or the service may not read it";
}
