import type { UpstreamConfig } from "../domain/catalog.ts";
import { ModelListError } from "../ports/upstream.ts";
import type { AdminDeps } from "./deps.ts";

/** What asking an upstream for its models came to. */
export type ModelList =
  | { readonly status: "listed"; readonly models: readonly string[] }
  | {
    /** `unlisted`: it has no such list; `refused`: not with these credentials. */
    readonly status: "unlisted" | "refused" | "timeout" | "failed";
    readonly reason: string;
    readonly cause: unknown;
  };

/** What an upstream answered when it was asked for its models. */
export interface UpstreamFinding {
  readonly id: string;
  /** `unlisted`: it has no list of models; `no credentials`: it was not asked. */
  readonly status: "listed" | "unlisted" | "no credentials" | "refused" | "timeout" | "failed";
  /** Names that it lists. */
  readonly models: readonly string[];
  readonly reason: string | null;
  /** Environment variables that it needs and that are not set. */
  readonly variables: readonly string[];
}

/** Asks an upstream for its models over a connection of its own, for no longer than so many ms. */
export async function askForModels(
  config: UpstreamConfig,
  { connect, timeoutMs }: Pick<AdminDeps, "connect"> & { readonly timeoutMs: number },
): Promise<ModelList> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  let upstream: ReturnType<AdminDeps["connect"]> | undefined;
  try {
    upstream = connect(config);
    return { status: "listed", models: await upstream.models(timeout.signal) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (timeout.signal.aborted) return { status: "timeout", reason, cause };
    const status = cause instanceof ModelListError ? cause.reason : "failed";
    return { status, reason, cause };
  } finally {
    clearTimeout(timer);
    upstream?.close();
  }
}

/** A version that providers add to a name that stands for the newest one. */
const SUFFIX = /^(?::latest|-latest|-\d{8}|-\d{4}-\d{2}-\d{2})$/;

/** Whether a list has a model, under its own name or that of one of its versions. */
export function listHas(models: readonly string[], name: string): boolean {
  return models.some((listed) =>
    listed === name || (listed.startsWith(name) && SUFFIX.test(listed.slice(name.length)))
  );
}
