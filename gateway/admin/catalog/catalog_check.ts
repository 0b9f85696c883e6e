/**
 * The check of the catalog in force: models without a price, unreachable models, and models that
 * their provider no longer offers.
 *
 * @module
 */

import { missingCredentials, missingCredentialsText } from "../../config/missing_credentials.ts";
import type { Catalog, CatalogContent, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { auditObstacle } from "../../domain/learning/audit_funds.ts";
import { listAge, type ModelVerdict, verdictOf } from "./catalog_verdict.ts";
import { checkAdvice } from "./catalog_advice.ts";
import type { AdminDeps } from "../deps.ts";
import { askForModels, type UpstreamFinding } from "./model_list.ts";
import type { Handlers } from "../routes.ts";

/** Maximum number of upstreams that are asked at once. */
const UPSTREAMS_AT_ONCE = 8;

/** Handler of the check of the catalog in force. */
export function catalogCheckHandlers(deps: AdminDeps) {
  return {
    "GET /catalog/check": async ({ query }) => {
      const { timeout, tolerance } = query();
      const catalog = deps.catalogs.current();
      const limits = { tolerance, timeoutMs: timeout * 1_000, nowMs: deps.clock.nowMs() };
      const verdicts = await verdictsOf(catalog, { ...deps, ...limits });
      const audits = await auditsFinding(catalog, deps);
      const advice = [audits, verdicts.advice].filter((text) => text !== null).join("; ") || null;
      const ok = verdicts.ok && audits === null;
      return { version: catalog.version, ...verdicts, ok, advice, audits };
    },
  } satisfies Partial<Handlers>;
}

/** Returns why the audits of a catalog cannot run, as a sentence; `null` if they can, or are off. */
async function auditsFinding(
  catalog: Catalog,
  { ledger, keys }: Pick<AdminDeps, "ledger" | "keys">,
): Promise<string | null> {
  const settings = catalog.auto?.audits;
  if (settings === undefined || settings.share === 0) return null;
  const wallet = await ledger.wallet(settings.wallet);
  const own = await Array.fromAsync(keys.ofWallet(settings.wallet));
  return auditObstacle(settings, { catalog, wallet, keys: own }) ?? null;
}

/** Options of a check. */
export interface CatalogCheckOptions extends Pick<AdminDeps, "connect" | "env"> {
  /** Maximum wait for one upstream. */
  readonly timeoutMs: number;
  /** Tolerated difference from the list price, in percent. */
  readonly tolerance: number;
  readonly nowMs: number;
}

/** Asks the upstreams of a catalog for their models, and judges each model. */
export async function verdictsOf(catalog: CatalogContent, options: CatalogCheckOptions) {
  const { nowMs, tolerance, timeoutMs } = options;
  const upstreams = await askUpstreams(catalog, options, timeoutMs);
  const models: ModelVerdict[] = [];
  for (const model of catalog.models) {
    const upstream = catalog.upstreams.find(({ id }) => id === model.upstream);
    const finding = upstreams.find(({ id }) => id === model.upstream);
    models.push(await verdictOf(model, { upstream, finding, nowMs, tolerance }));
  }
  const priceList = listAge(nowMs, models);
  const ok = !priceList.old && models.every(({ status }) => status === "ok");
  return {
    ok,
    advice: ok ? null : checkAdvice(models, { upstreams, priceList }),
    priceList,
    upstreams: upstreams.map(({ models, ...finding }) => ({ ...finding, models: models.length })),
    models,
  };
}

/** Asks every upstream that serves a model, several at once, each for at most `timeoutMs`. */
async function askUpstreams(
  { models, upstreams }: CatalogContent,
  deps: Pick<AdminDeps, "connect" | "env">,
  timeoutMs: number,
): Promise<UpstreamFinding[]> {
  const used = new Set(models.filter(({ disabled }) => !disabled).map(({ upstream }) => upstream));
  const usedUpstreams = upstreams.filter(({ id }) => used.has(id));
  const findings = new Map<string, UpstreamFinding>();
  const queue = usedUpstreams.values();
  const work = async () => {
    for (const config of queue) findings.set(config.id, await ask(config, deps, timeoutMs));
  };
  await Promise.all(Array.from({ length: UPSTREAMS_AT_ONCE }, work));
  return usedUpstreams.flatMap(({ id }) => findings.get(id) ?? []);
}

async function ask(
  config: UpstreamConfig,
  deps: Pick<AdminDeps, "connect" | "env">,
  timeoutMs: number,
): Promise<UpstreamFinding> {
  const { id } = config;
  const none = { id, models: [], reason: null, variables: [] };
  const missing = deps.env === undefined ? [] : missingCredentials([config], deps.env);
  if (missing.length > 0) {
    const reason = missing.map(missingCredentialsText).join("; ");
    const variables = missing.map(({ variable }) => variable);
    return { ...none, status: "no credentials", reason, variables };
  }
  const list = await askForModels(config, { ...deps, timeoutMs });
  if (list.status === "listed") return { ...none, status: "listed", models: list.models };
  return { ...none, status: list.status, reason: list.reason };
}
