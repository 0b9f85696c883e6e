/**
 * The initial catalog: from the configuration file, otherwise from the environment.
 *
 * @module
 */

import { DETECTED_VARIABLES, detectUpstreams } from "../config/detect_upstreams.ts";
import { parseConfig } from "../config/parse_config.ts";
import type { Catalog, CatalogContent } from "../domain/catalog/catalog.ts";
import { diffCatalog } from "../domain/catalog/diff.ts";
import type { Trail } from "../flows/operators/trail.ts";
import type { CatalogStore } from "../ports/catalog_store.ts";
import type { Clock } from "../ports/clock.ts";
import type { LogRetention } from "../stores/kv/log/request_log.ts";
import type { ResponseRetention } from "../stores/kv/values/responses.ts";
import type { ServeSettings } from "../config/settings.ts";
import { START } from "./start_author.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const MEGABYTE = 1024 * 1024;
/** Note of a catalog version that was detected: the next start may detect another. */
export const DETECTED_NOTE = "detected at start";

/** The content of a configuration file. */
export interface ReadConfig {
  readonly content: CatalogContent;
  readonly retention: LogRetention | undefined;
  readonly responseRetention: ResponseRetention | undefined;
  /** Sentences about settings of an earlier version. */
  readonly notices: readonly string[];
}

/** Reads the configuration file; resolves to `undefined` if there is none and none was named. */
export async function readCatalogText(settings: ServeSettings): Promise<ReadConfig | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(settings.configPath);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && !settings.configRequired) return undefined;
    throw new Error(`Cannot read the configuration file "${settings.configPath}"`, {
      cause: error,
    });
  }
  const { content, requestLog, responses, notices } = await parseConfig(text, {
    fileName: settings.configPath,
  });
  return {
    content,
    retention: requestLog && {
      records: requestLog.keepRequests,
      ageMs: requestLog.keepDays * DAY_MS,
    },
    responseRetention: responses && {
      maxBytes: responses.keepMegabytes * MEGABYTE,
      ageMs: responses.keepDays * DAY_MS,
    },
    notices,
  };
}

/**
 * Returns the catalog in force, with a sentence for the operator. The store is the authority: a
 * file or the environment only seeds an empty store, or replaces a catalog that an earlier start
 * detected. The audit log has each version that a start makes.
 */
export async function seedCatalog(
  catalogs: CatalogStore,
  options: {
    config: CatalogContent | undefined;
    env: (name: string) => string | undefined;
    clock: Clock;
    trail: Trail;
  },
): Promise<{ catalog: Catalog; sentence: string }> {
  const [newest] = await catalogs.history(1);
  const expected = newest?.version ?? 0;
  const atMs = options.clock.nowMs();
  if (newest !== undefined && newest.note !== DETECTED_NOTE) {
    const catalog = catalogs.current();
    const differs = options.config !== undefined && diffCatalog(catalog, options.config).length > 0;
    const hint = differs ? "; the configuration file differs: svc apply -f FILE" : "";
    return { catalog, sentence: `${namesOf(catalog)}, as applied before${hint}` };
  }
  if (options.config !== undefined) {
    const note = "configuration file at start";
    const version = { expected, note, atMs };
    const catalog = await applied(catalogs, options, { content: options.config, version });
    return { catalog, sentence: namesOf(options.config) };
  }
  const environment = Object.fromEntries(
    DETECTED_VARIABLES.map((name) => [name, options.env(name)]),
  );
  const { content, sentence } = await detectUpstreams(environment, { nowMs: atMs });
  if (newest !== undefined && diffCatalog(catalogs.current(), content).length === 0) {
    return { catalog: catalogs.current(), sentence };
  }
  const version = { expected, note: DETECTED_NOTE, atMs };
  return { catalog: await applied(catalogs, options, { content, version }), sentence };
}

/** Applies a version with its entries in the audit log; returns the catalog in force. */
async function applied(
  catalogs: CatalogStore,
  { trail }: { readonly trail: Trail },
  { content, version }: {
    readonly content: CatalogContent;
    readonly version: Parameters<CatalogStore["apply"]>[1];
  },
): Promise<Catalog> {
  const { expected, note } = version;
  const former = expected === 0 ? undefined : catalogs.current();
  const action = { author: START, action: "applyCatalog", subject: "/catalog", values: { note } };
  return await trail.change(action, {
    work: async () => await catalogs.apply(content, version) ?? catalogs.current(),
    state: (catalog) => {
      if (catalog === undefined) return Promise.resolve({ version: expected });
      const { version } = catalog;
      if (former === undefined) return Promise.resolve({ version, upstreams: namesOf(catalog) });
      return Promise.resolve({ version, changes: diffCatalog(former, catalog) });
    },
  });
}

function namesOf({ upstreams }: CatalogContent): string {
  return upstreams.map((upstream) => upstream.id).join(", ");
}
