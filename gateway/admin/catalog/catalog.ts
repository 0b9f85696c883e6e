import { isJsonObject } from "@svc/sdk/protocol";
import { ConfigError } from "../../config/config_error.ts";
import { parseConfig } from "../../config/parse_config.ts";
import type { Catalog, CatalogContent } from "../../domain/catalog/catalog.ts";
import { limitsInForce } from "../../domain/limits/service_limits.ts";
import { diffCatalog, HIDDEN } from "../../domain/catalog/diff.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { catalogEffects, listed, strandedWallets } from "./catalog_effects.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import type { Answer } from "../../admin_api/answers/answer.ts";
import type { catalogAnswer, catalogChangeAnswer } from "../../admin_api/answers/catalog.ts";
import { readBody } from "../request_body.ts";
import { readQuery } from "../request_query.ts";
import { resource, segment } from "../resource.ts";
import { change, changesQuery, rollback, versionsQuery } from "../../admin_api/schemas/catalog.ts";

/** `/catalog`: upstreams, models and tiers as one version after another. */
export function serveCatalog(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/catalog", {
    GET: (context) => context.json(catalogJson(deps.catalogs.current())),
  });
  resource(app, "/catalog/versions", {
    GET: async (context) => {
      const { limit } = readQuery(context, deps, versionsQuery);
      const history = await deps.catalogs.history(limit);
      return context.json({
        versions: history.map(({ version, updatedAtMs, note }) => ({
          version,
          updatedAt: new Date(updatedAtMs).toISOString(),
          note,
        })),
      });
    },
  });
  resource(app, "/catalog/versions/:version", {
    GET: async (context) => {
      return context.json(catalogJson(await findVersion(deps, segment(context, "version"))));
    },
  });
  resource(app, "/catalog/versions/:version/changes", {
    GET: (context) => versionChanges(context, deps),
  });
  resource(app, "/catalog/apply", { POST: (context) => applyContent(context, deps) });
  resource(app, "/catalog/rollback", { POST: (context) => rollBack(context, deps) });
}

async function applyContent(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const body = await readBody(context, change);
  const current = deps.catalogs.current();
  const content = await readContent(deps, withStoredKeys(body.content, current));
  const expected = body.expectedVersion ?? current.version;
  return context.json(await makeVersion(deps, content, { ...body, expected }));
}

async function rollBack(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const body = await readBody(context, rollback);
  const { version: _, updatedAtMs: __, ...content } = await findVersion(
    deps,
    String(body.version),
  );
  return context.json(
    await makeVersion(deps, content, {
      expected: body.expectedVersion ?? deps.catalogs.current().version,
      note: body.note ?? `Back to version ${body.version}`,
      force: body.force,
      dryRun: body.dryRun,
    }),
  );
}

/** What a version changed: since the one before it, or since any other. */
async function versionChanges(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { since } = readQuery(context, deps, changesQuery);
  const after = await findVersion(deps, segment(context, "version"));
  const before = since === undefined && after.version === 1
    ? undefined
    : await findVersion(deps, since ?? String(after.version - 1));
  return context.json({
    version: after.version,
    since: before?.version ?? null,
    changes: before === undefined ? [] : diffCatalog(before, after),
  });
}

async function readContent(deps: AdminDeps, written: unknown): Promise<CatalogContent> {
  try {
    const options = { fileName: "the configuration", nowMs: deps.clock.nowMs() };
    return (await parseConfig(JSON.stringify(written), options)).content;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const param = /^[^\s:"]+(?=: )/.exec(error.problems[0] ?? "")?.[0];
    throw new ServiceFault("invalid_request", { message: error.message, param });
  }
}

/** Says what would change, and changes it unless that is nothing or only a rehearsal. */
async function makeVersion(
  deps: AdminDeps,
  content: CatalogContent,
  options: { expected: number; note: string; dryRun: boolean; force: boolean },
): Promise<Answer<typeof catalogChangeAnswer>> {
  const current = deps.catalogs.current();
  if (options.expected !== current.version) throw versionConflict(deps, options.expected);
  const changes = diffCatalog(current, content);
  const [wallets, keys] = await Promise.all([deps.ledger.wallets(), deps.keys.list()]);
  if (!options.force) requireTiersKept(current, content, wallets);
  const { warnings, cuts } = await catalogEffects({ current, content }, { wallets, keys }, deps);
  if (options.dryRun || changes.length === 0) {
    return {
      changes,
      warnings: [...warnings],
      cuts: [...cuts],
      version: current.version,
      applied: false,
    };
  }
  const made = await deps.applyCatalog(content, { expected: current.version, note: options.note });
  if (made === undefined) throw versionConflict(deps, current.version);
  return {
    changes,
    warnings: [...warnings],
    cuts: [...cuts],
    version: made.version,
    applied: true,
  };
}

/** A wallet without its tier pays for nothing: whoever takes the tier away has to say so. */
function requireTiersKept(
  current: CatalogContent,
  content: CatalogContent,
  wallets: readonly Wallet[],
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

function catalogJson(catalog: Catalog): Answer<typeof catalogAnswer> {
  const { version, updatedAtMs, upstreams, search, limits, ...content } = catalog;
  return {
    version,
    updatedAt: new Date(updatedAtMs).toISOString(),
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

/** What was shown with hidden keys, with those keys again: for the same address only. */
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
