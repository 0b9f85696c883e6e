import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { type Estimate, estimatesOf, loadOf } from "../../domain/learning/estimate.ts";
import { EMPTY_SNAPSHOT, type RoutingSnapshot } from "../../domain/learning/snapshot.ts";
import { targetShare } from "../../domain/routing/dial.ts";
import { draws, embeds } from "../../domain/routing/hold_shape.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import { estimateContext, rounded } from "./learned.ts";

type Explanation = AnswerOf<"GET /routing/requests/{id}">;

/** Requests of one id that a refusal names. */
const NAMED_MAX = 8;
/** Catalog versions that are searched for the one of a request. */
const VERSIONS_MAX = 500;

/** Explains the decision about a request. */
export async function explanationJson(
  id: string,
  deps: Pick<AdminDeps, "log" | "catalogs" | "learning" | "snapshots">,
): Promise<Explanation> {
  const record = await onlyRequest(id, deps);
  const { routing } = record;
  const snapshot = await snapshotOf(record, deps);
  const dial = routing?.dial ?? null;
  return {
    id: record.id,
    requestId: record.requestId,
    at: isoTime(record.atMs),
    wallet: record.walletId,
    model: routing?.model ?? null,
    reason: routing?.reason ?? null,
    plan: routing?.plan ?? null,
    task: routing?.task ?? null,
    dial,
    targetShare: dial === null ? null : rounded(targetShare(dial)),
    difficulty: routing?.difficulty ?? null,
    p: routing?.p ?? null,
    pError: routing?.p_error ?? null,
    outcomes: routing?.outcomes ?? null,
    snapshot: routing?.snapshot ?? null,
    recomputed: snapshot !== undefined,
    candidates: candidatesJson(record, snapshot, await catalogAt(record.atMs, deps)),
    exclusions: (record.exclusions ?? []).map((exclusion) => ({ ...exclusion })),
  };
}

/** Returns the one request of an id: of a row, or as the caller chose it. */
async function onlyRequest(
  id: string,
  { log }: Pick<AdminDeps, "log">,
): Promise<RequestRecord> {
  const row = await log.get(id);
  if (row !== undefined) return row;
  const records: RequestRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await log.search({ requestId: id, limit: NAMED_MAX + 1, cursor });
    records.push(...page.records);
    cursor = page.cursor;
  } while (cursor !== undefined && records.length <= NAMED_MAX);
  const [only] = records;
  if (only === undefined) {
    throw new ServiceFault("not_found", { message: `There is no request "${id}"` });
  }
  if (records.length === 1) return only;
  const ids = records.slice(0, NAMED_MAX).map((record) => record.id);
  throw new ServiceFault("conflict", {
    message: `Several requests have the id "${id}"; give the id of one row: ${ids.join(", ")}` +
      (records.length > NAMED_MAX ? ", …" : ""),
    members: { log_ids: ids },
  });
}

/** Returns the snapshot that decided; `undefined` if the log names none or it is no longer stored. */
async function snapshotOf(
  { routing }: RequestRecord,
  { learning, snapshots }: Pick<AdminDeps, "learning" | "snapshots">,
): Promise<RoutingSnapshot | undefined> {
  const number = routing?.snapshot;
  if (number === undefined) return undefined;
  if (number === EMPTY_SNAPSHOT.number) return EMPTY_SNAPSHOT;
  return [learning.newest(), learning.snapshot()].find((known) => known.number === number) ??
    await snapshots.get(number);
}

/** Returns the catalog that was in force at a time, or the oldest that is known. */
async function catalogAt(
  atMs: number,
  { catalogs }: Pick<AdminDeps, "catalogs">,
): Promise<Catalog> {
  const current = catalogs.current();
  if (current.updatedAtMs <= atMs) return current;
  const history = await catalogs.history(VERSIONS_MAX);
  const version = history.find(({ updatedAtMs }) => updatedAtMs <= atMs) ?? history.at(-1);
  return version === undefined ? current : await catalogs.get(version.version) ?? current;
}

function candidatesJson(
  record: RequestRecord,
  snapshot: RoutingSnapshot | undefined,
  catalog: Catalog,
): Explanation["candidates"] {
  const { routing, scores = [] } = record;
  if (routing === undefined) return [];
  const scoreOf = new Map(scores.map(({ model, score }) => [model, score]));
  const ids = [...new Set([...scoreOf.keys(), routing.model])];
  const { qualityOf } = estimateContext(catalog);
  const estimates = snapshot === undefined
    ? new Map<string, Estimate>()
    : estimatesAt(record, ids, { snapshot, catalog });
  return ids.map((model) => {
    const estimate = estimates.get(model);
    return {
      model,
      isChosen: model === routing.model,
      score: scoreOf.get(model) ?? null,
      quality: qualityOf(model) ?? null,
      p: estimate === undefined ? null : rounded(estimate.p),
      pError: estimate === undefined ? null : rounded(estimate.error),
      outcomes: estimate?.outcomes ?? null,
    };
  });
}

/** Returns the estimates of a request's candidates by a snapshot, as its decision had them. */
function estimatesAt(
  { routing, walletId, endpoint }: RequestRecord,
  ids: readonly string[],
  { snapshot, catalog }: { readonly snapshot: RoutingSnapshot; readonly catalog: Catalog },
): ReadonlyMap<string, Estimate> {
  const { difficulty, task } = routing ?? {};
  if (difficulty === undefined) return new Map();
  const { qualityOf, sources } = estimateContext(catalog);
  const models = ids.flatMap((id) => {
    const quality = qualityOf(id);
    return quality === undefined ? [] : [{ id, quality }];
  });
  const known = snapshot.wallets.get(walletId);
  const estimates = estimatesOf(
    models,
    draws({ endpoint }) || embeds({ endpoint }) ? 1 : loadOf(difficulty),
    {
      wallet: known?.totals ?? {},
      task: task === undefined ? undefined : known?.statistics.tasks[task],
      sources,
    },
  );
  return new Map(models.flatMap(({ id }, at) => {
    const estimate = estimates[at];
    return estimate === undefined ? [] : [[id, estimate]];
  }));
}
