import { isJsonObject } from "@svc/sdk/protocol";
import { ConfigError } from "../../config/config_error.ts";
import { type Configuration, parseConfig } from "../../config/parse_config.ts";
import type { Catalog, CatalogContent } from "../../domain/catalog/catalog.ts";
import { limitsInForce } from "../../domain/limits/service_limits.ts";
import { diffCatalog, HIDDEN } from "../../domain/catalog/diff.ts";
import type { EntryMaker } from "../../domain/operators/trail.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { catalogEffects, listed, strandedWallets } from "./catalog_effects.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import type { Handlers } from "../routes.ts";

/** Handlers of the catalog: upstreams, models and tiers as one version after another. */
export function catalogHandlers(deps: AdminDeps) {
  return {
    "GET /catalog": () => catalogJson(deps.catalogs.current()),
    "GET /catalog/versions": async ({ query }) => {
      const { limit, cursor } = query();
      const before = cursor === undefined ? undefined : versionAt(cursor);
      const history = await deps.catalogs.history(limit + 1, { before });
      const next = history.length > limit ? history[limit - 1] : undefined;
      return {
        cursor: next === undefined ? null : `v.${next.version}`,
        versions: history.slice(0, limit).map(({ version, updatedAtMs, note }) => ({
          version,
          updatedAt: isoTime(updatedAtMs),
          note,
        })),
      };
    },
    "GET /catalog/versions/{version}": async ({ path }) =>
      catalogJson(await findVersion(deps, path.version)),
    "GET /catalog/versions/{version}/changes": ({ path, query }) =>
      versionChanges(deps, path.version, query().since),
    "POST /catalog/apply": async ({ body, entry }) => {
      const change = await body();
      const current = deps.catalogs.current();
      const { content, notices } = await readContent(
        deps,
        withStoredKeys(change.content, current),
      );
      const expected = change.expectedVersion ?? current.version;
      const answer = await createVersion(deps, content, { ...change, expected, entry });
      return { ...answer, warnings: [...answer.warnings, ...notices] };
    },
    "POST /catalog/rollback": async ({ body, entry }) => {
      const { version, expectedVersion, note, force, dryRun } = await body();
      const { version: _, updatedAtMs: __, ...content } = await findVersion(deps, String(version));
      return await createVersion(deps, content, {
        expected: expectedVersion ?? deps.catalogs.current().version,
        note: note ?? `Back to version ${version}`,
        ...{ force, dryRun, entry },
      });
    },
  } satisfies Partial<Handlers>;
}

/** Returns the version that a page of versions ends with; 0 for the cursor of another list. */
function versionAt(cursor: string): number {
  return Number(/^v\.(\d{1,9})$/.exec(cursor)?.[1] ?? 0);
}

/** Returns what a version changed: since the one before it, or since any other. */
async function versionChanges(
  deps: AdminDeps,
  version: string,
  since: string | undefined,
): Promise<AnswerOf<"GET /catalog/versions/{version}/changes">> {
  const after = await findVersion(deps, version);
  const before = since === undefined && after.version === 1
    ? undefined
    : await findVersion(deps, since ?? String(after.version - 1));
  return {
    version: after.version,
    since: before?.version ?? null,
    changes: before === undefined ? [] : diffCatalog(before, after),
  };
}

async function readContent(deps: AdminDeps, written: unknown): Promise<Configuration> {
  try {
    const options = { fileName: "the configuration", nowMs: deps.clock.nowMs() };
    return await parseConfig(JSON.stringify(written), options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const param = /^[^\s:"]+(?=: )/.exec(error.problems[0] ?? "")?.[0];
    throw new ServiceFault("invalid_request", { message: error.message, param });
  }
}

/** A version to be made, or rehearsed. */
interface VersionOptions {
  readonly expected: number;
  readonly note: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly entry: EntryMaker;
}

/** Returns what changes, and makes the version unless nothing does or it is a rehearsal. */
async function createVersion(
  deps: AdminDeps,
  content: CatalogContent,
  options: VersionOptions,
): Promise<AnswerOf<"POST /catalog/apply">> {
  const current = deps.catalogs.current();
  if (options.expected !== current.version) throw versionConflict(deps, options.expected);
  const changes = diffCatalog(current, content);
  const wallets: Pick<Wallet, "id" | "tier">[] = [];
  for await (const { id, tier } of deps.ledger.allWallets()) wallets.push({ id, tier });
  const keys = deps.keys.all();
  if (!options.force) requireTiersKept(current, content, wallets);
  const { warnings, cuts } = await catalogEffects({ current, content }, { wallets, keys }, deps);
  if (options.dryRun || changes.length === 0) {
    return { changes, warnings, cuts, version: current.version, applied: false };
  }
  const { note, entry } = options;
  const created = await deps.applyCatalog(content, {
    ...{ expected: current.version, note },
    // The version first: a long entry is cut at its end.
    entry: ({ after }) =>
      entry((state: object) => state)({
        before: { version: current.version },
        after: { version: after?.version, note, changes, warnings },
      }),
  });
  if (created === undefined) throw versionConflict(deps, current.version);
  return { changes, warnings, cuts, version: created.version, applied: true };
}

/** Refuses to remove the tier of a wallet, which could then pay for nothing, unless forced. */
function requireTiersKept(
  current: CatalogContent,
  content: CatalogContent,
  wallets: readonly Pick<Wallet, "id" | "tier">[],
): void {
  const removed = [...strandedWallets(content, wallets)]
    .find(([tier]) => current.tiers.some(({ id }) => id === tier));
  if (removed === undefined) return;
  const [tier, ids] = removed;
  const names = listed("Wallet", ids.map((id) => `"${id}"`)).replace("W", "w");
  throw new ServiceFault("conflict", {
    message: `Cannot remove the tier "${tier}" of ${names}, which could not spend any more: ` +
      'keep it, or force the change (--force, "force": true)',
    param: "tiers",
  });
}

function versionConflict(deps: AdminDeps, expected: number): ServiceFault {
  const newest = deps.catalogs.current().version;
  return new ServiceFault("conflict", {
    message: `The catalog is at version ${newest}, not ${expected}: look at the difference again`,
    param: "expectedVersion",
  });
}

async function findVersion(deps: AdminDeps, text: string): Promise<Catalog> {
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  const catalog = number === 0 ? undefined : await deps.catalogs.get(number);
  if (catalog !== undefined) return catalog;
  throw new ServiceFault("not_found", { message: `There is no catalog version "${text}"` });
}

function catalogJson(catalog: Catalog): AnswerOf<"GET /catalog"> {
  const { version, updatedAtMs, upstreams, search, limits, ...content } = catalog;
  return {
    version,
    updatedAt: isoTime(updatedAtMs),
    content: {
      upstreams: upstreams.map(withoutKey),
      ...content,
      ...(limits === undefined ? {} : { limits: limitsInForce(catalog) }),
      search: search === undefined ? undefined : withoutKey(search),
    },
  };
}

function withoutKey<Config extends object>(config: Config): Config {
  return "apiKey" in config && config.apiKey !== undefined ? { ...config, apiKey: HIDDEN } : config;
}

/** Replaces hidden keys by the stored ones, where the address is the same. */
function withStoredKeys(
  content: Readonly<Record<string, unknown>>,
  stored: CatalogContent,
): Readonly<Record<string, unknown>> {
  const { search, upstreams } = content;
  const restored: Record<string, unknown> = {};
  if (Array.isArray(upstreams)) {
    restored.upstreams = upstreams.map((upstream: unknown, index) =>
      withStoredKey(upstream, {
        from: stored.upstreams.filter((known) =>
          isJsonObject(upstream) && known.id === upstream.id
        ),
        what: `upstreams.${index}`,
      })
    );
  }
  if (isJsonObject(search)) {
    const known = stored.search;
    const hasKey = known?.kind === "brave" || known?.kind === "tavily";
    const from = hasKey && known.kind === search.kind ? [known] : [];
    restored.search = withStoredKey(search, { from, what: "search" });
  }
  return { ...content, ...restored };
}

function withStoredKey(
  written: unknown,
  stored: {
    from: readonly { baseUrl?: string | undefined; apiKey?: string | undefined }[];
    what: string;
  },
): unknown {
  if (!isJsonObject(written) || written.apiKey !== HIDDEN) return written;
  const known = stored.from.find(({ baseUrl }) => baseUrl === written.baseUrl);
  if (known?.apiKey !== undefined) return { ...written, apiKey: known.apiKey };
  throw new ServiceFault("invalid_request", {
    message: `Cannot keep the key "${HIDDEN}" of what is new or has moved: give the key itself, ` +
      "or leave it out",
    param: `${stored.what}.apiKey`,
  });
}
