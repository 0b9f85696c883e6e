import type { RequestFilter, RequestRecord } from "./record.ts";
import { type Attribution, hasTag } from "./attribution.ts";
import { parseCredits } from "../ledger/money.ts";

/** True when a request meets all conditions of a filter. */
export function matches(record: RequestRecord, filter: RequestFilter): boolean {
  const { id, requestId, keyId, walletId, endpoint, outcome, errorCode } = filter;
  if (id !== undefined && record.id !== id) return false;
  if (requestId !== undefined && record.requestId !== requestId) return false;
  if (keyId !== undefined && record.keyId !== keyId) return false;
  if (walletId !== undefined && record.walletId !== walletId) return false;
  if (endpoint !== undefined && record.endpoint !== endpoint) return false;
  if (outcome !== undefined && record.outcome !== outcome) return false;
  if (errorCode !== undefined && record.errorCode !== errorCode) return false;
  const { sinceMs = -Infinity, untilMs = Infinity, status, minCharged, text } = filter;
  if (record.atMs < sinceMs || record.atMs > untilMs) return false;
  if (status !== undefined && !hasStatus(record.status, status)) return false;
  if (minCharged !== undefined && (parseCredits(record.charged) ?? 0n) < minCharged) return false;
  if (text !== undefined && !record.id.includes(text) && !record.requestId.includes(text)) {
    return false;
  }
  if (!hasNames(record.attribution, filter)) return false;
  const { task, model, provider } = filter;
  if (task !== undefined && record.routing?.task?.startsWith(task) !== true) return false;
  if (model !== undefined && !modelsOf(record).includes(model)) return false;
  return provider === undefined || providersOf(record).includes(provider);
}

function hasNames(names: Attribution = {}, { tag, user }: RequestFilter): boolean {
  if (tag !== undefined && !hasTag(names.tags, tag)) return false;
  return user === undefined || names.user === user || names.safetyIdentifier === user;
}

/** True when a status equals the wanted one (`429`) or has the wanted class (`4xx`). */
export function hasStatus(status: number, pattern: string): boolean {
  const code = String(status);
  return pattern.endsWith("xx") ? code[0] === pattern[0] : code === pattern;
}

/** Returns every model called for the request, the one that answered first. */
export function modelsOf({ routing, tasks = [] }: RequestRecord): readonly string[] {
  if (routing === undefined && tasks.length === 0) return [];
  const models = new Set<string>();
  if (routing !== undefined) models.add(routing.model);
  for (const { model } of routing?.attempts ?? []) models.add(model);
  for (const task of tasks) {
    if (task.model !== undefined) models.add(task.model);
    for (const { model } of task.attempts) models.add(model);
  }
  return [...models];
}

/** Returns every provider called for the request, the one that answered first. */
export function providersOf({ routing, tasks = [] }: RequestRecord): readonly string[] {
  if (routing === undefined && tasks.length === 0) return [];
  const providers = new Set<string>();
  if (routing !== undefined) providers.add(routing.provider);
  for (const { provider } of routing?.attempts ?? []) providers.add(provider);
  for (const task of tasks) {
    if (task.provider !== undefined) providers.add(task.provider);
    for (const { provider } of task.attempts) providers.add(provider);
  }
  return [...providers];
}
