import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { ModelListError } from "../../ports/upstream.ts";
import { REDACTED } from "../../domain/redaction/redact.ts";
import type { AdminDeps } from "../deps.ts";

/** Result of asking an upstream for its models. */
export type ModelList =
  | { readonly status: "listed"; readonly models: readonly string[] }
  | {
    /** `unlisted`: it has no such list; `refused`: not with these credentials. */
    readonly status: "unlisted" | "refused" | "timeout" | "failed";
    readonly reason: string;
    readonly cause: unknown;
  };

/** Answer of an upstream to the request for its models. */
export interface UpstreamFinding {
  readonly id: string;
  /** `unlisted`: it has no list of models; `no credentials`: it was not asked. */
  readonly status: "listed" | "unlisted" | "no credentials" | "refused" | "timeout" | "failed";
  /** Names that it lists. */
  readonly models: readonly string[];
  readonly reason: string | null;
  /** Required environment variables that are not set. */
  readonly variables: readonly string[];
}

/** Maximum length of a model's name, in characters. */
const NAME_MAX_CHARS = 256;

/** Asks an upstream for its models over a separate connection, for at most `timeoutMs`. */
export async function askForModels(
  config: UpstreamConfig,
  options: Pick<AdminDeps, "connect" | "env"> & { readonly timeoutMs: number },
): Promise<ModelList> {
  const { connect, timeoutMs } = options;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  let upstream: ReturnType<AdminDeps["connect"]> | undefined;
  try {
    upstream = connect(config);
    const names = await upstream.models(timeout.signal);
    return { status: "listed", models: shownNames(names, secretsOf(config, options)) };
  } catch (cause) {
    if (timeout.signal.aborted) {
      const reason = `Upstream "${config.id}" did not answer within ${timeoutMs / 1_000} s`;
      return { status: "timeout", reason, cause };
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const status = cause instanceof ModelListError ? cause.reason : "failed";
    return { status, reason, cause };
  } finally {
    clearTimeout(timer);
    upstream?.close();
  }
}

/** Removes secrets from names: an upstream may include the key of the request in them. */
function shownNames(names: readonly string[], secrets: readonly string[]): string[] {
  return names.filter((name) => name !== "").map((name) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), name)
      .slice(0, NAME_MAX_CHARS).toWellFormed()
  );
}

function secretsOf(config: UpstreamConfig, { env }: Pick<AdminDeps, "env">): string[] {
  const { apiKey, apiKeyEnv, secretAccessKeyEnv, sessionTokenEnv } = config;
  const variables = [apiKeyEnv, secretAccessKeyEnv, sessionTokenEnv];
  const values = variables.map((name) => name === undefined ? undefined : env?.(name));
  // Shorter values, such as "none", are no secrets and occur in names.
  return [apiKey, ...values].flatMap((value) =>
    value !== undefined && value.length >= 8 ? value : []
  );
}

/** A version suffix that providers add to a name that means the newest version. */
const SUFFIX = /^(?::latest|-latest|-\d{8}|-\d{4}-\d{2}-\d{2})$/;

/** Returns true when a list has a model, under its name or that of one of its versions. */
export function listHas(models: readonly string[], name: string): boolean {
  return models.some((listed) =>
    listed === name || (listed.startsWith(name) && SUFFIX.test(listed.slice(name.length)))
  );
}
