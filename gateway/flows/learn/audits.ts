/**
 * Audits: a share of the requests of consenting keys is asked of other models too, once the caller
 * was answered. Equal answers count as good. The operator's own wallet pays.
 *
 * @module
 */

import { auditObstacle } from "../../domain/learning/audit_funds.ts";
import { type AuditPanel, auditPanel } from "../../domain/learning/audit_panel.ts";
import { isAuditable } from "../../domain/learning/audit_request.ts";
import type { AuditResult } from "../../domain/learning/audit_result.ts";
import { loadOf } from "../../domain/learning/estimate.ts";
import { type Micros, parseCredits } from "../../domain/ledger/money.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import { modelDenial } from "../../domain/policy/policy.ts";
import { tierAllows } from "../../domain/policy/tiers.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { type AuditSettings, SHARE_MAX } from "../../domain/routing/auto.ts";
import type { AuditStore } from "../../ports/audit_store.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import type { OpenPlan } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { AuditCallDeps } from "./audit_call.ts";
import { AuditRun } from "./audit_run.ts";
import type { Learning } from "./learning.ts";

/** Maximum audits in progress. */
const RUNNING_MAX = 2;
/** Maximum size of the requests that wait for their audit or are audited, in UTF-16 code units. */
const CHARS_MAX = 4 * 1024 * 1024;
/** Size that counts for the plan and the features that are kept with a request. */
const KEPT_CHARS = 8 * 1024;
/** Time between an answer and its audit, in milliseconds: the answer leaves first. */
const START_MS = 20;
/** Time for which the keys are remembered while none is created, in milliseconds. */
const KEYS_KNOWN_MS = 60_000;

/**
 * The end of a selected request. `compared`: outcomes were noted. `incomplete`: too few models
 * answered. `no_memory`: too much waited. `no_budget`: the day's budget is spent. `withdrawn`: key or
 * settings changed meanwhile. `impossible`: the operator's wallet cannot pay. `failed`: a fault of the
 * service.
 */
export type AuditEnd =
  | "compared"
  | "incomplete"
  | "no_memory"
  | "no_budget"
  | "withdrawn"
  | "impossible"
  | "failed";

/** Parts of the service that audits use. */
export type AuditDeps = AuditCallDeps & {
  readonly auditStore: AuditStore;
  readonly keys: Pick<KeyStore, "get" | "ofWallet" | "created">;
  readonly learning: Pick<Learning, "noteOutcome" | "noteAudit">;
  /** Called at the end of each selected request. @default {no call} */
  readonly onAudited?: ((end: AuditEnd) => void) | undefined;
};

/** A request that was answered. */
export interface AnsweredRequest {
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  readonly plan: OpenPlan;
}

interface WaitingAudit extends AnsweredRequest {
  /** The key as it was when it was answered. */
  readonly key: KeyRecord;
  readonly task: string;
  readonly panel: AuditPanel;
}

/** The audits of one gateway. */
export class Audits {
  readonly #deps: AuditDeps;
  readonly #waiting: WaitingAudit[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #callOffStart: (() => void) | undefined;
  #chars = 0;
  /** The obstacle that was logged last; absent once an audit has run. */
  #obstacle: string | undefined;
  #keys: {
    readonly walletId: string;
    readonly atMs: number;
    readonly created: number;
    readonly list: readonly KeyRecord[];
  } | undefined;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  /** Size of the requests that wait or are audited, in UTF-16 code units. */
  get chars(): number {
    return this.#chars;
  }

  /**
   * Audits an answered request if its key consents, its answers compare and the keyed hash of its id
   * selects it. Returns at once: the audit runs later. A request that would exceed the memory for
   * audits is not audited.
   */
  offer(active: ActiveRequest, request: AnsweredRequest): void {
    if (this.#closing.signal.aborted) return;
    const audit = this.#auditOf(active, request);
    if (audit === undefined) return;
    const chars = sizeOf(audit);
    if (this.#chars + chars > CHARS_MAX) return this.#end("no_memory");
    this.#chars += chars;
    this.#waiting.push(audit);
    this.#callOffStart ??= afterMs(START_MS, () => {
      this.#callOffStart = undefined;
      this.#next();
    });
  }

  /** Resolves when no audit waits or runs. */
  async idle(): Promise<void> {
    while (this.#running.size + this.#waiting.length > 0) {
      await Promise.all(this.#running);
      if (this.#running.size === 0) await new Promise<void>((resolve) => afterMs(1, resolve));
    }
  }

  /** Drops the audits that wait, and ends those in progress; resolves when all are settled. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#callOffStart?.();
    this.#waiting.length = 0;
    await this.idle();
  }

  #end(end: AuditEnd): void {
    this.#deps.onAudited?.(end);
  }

  #settings(): AuditSettings | undefined {
    return this.#deps.catalogs.current().auto?.audits;
  }

  #auditOf(active: ActiveRequest, request: AnsweredRequest): WaitingAudit | undefined {
    const settings = this.#settings();
    const { features, plan, body } = request;
    const { task } = plan.basis;
    const { key } = active;
    if (settings === undefined || key.policy.auto?.audits !== true || task === undefined) {
      return undefined;
    }
    // A caller that left has no answer. Verified requests are audited like all others: without them
    // the record of a task that is always verified would never change.
    if (active.outcome !== "ok") return undefined;
    const share = Math.min(settings.share, SHARE_MAX);
    if (!(this.#deps.learning.seedOf(`audit ${active.identity.logId}`) < share)) return undefined;
    if (features.comparable === undefined && !this.#mayJudge(key, plan, settings)) return undefined;
    if (!isAuditable(body.value, features)) return undefined;
    const panel = auditPanel(plan.candidates, active.report.model ?? "");
    return panel && { body, features, plan, key, task, panel };
  }

  /** True when the policy and the tier of a key let the judge read its answers. */
  #mayJudge({ policy }: KeyRecord, { tier }: OpenPlan, { judge }: AuditSettings): boolean {
    const { models, upstreams } = this.#deps.catalogs.current();
    const model = models.find(({ id }) => id === judge);
    if (model === undefined || !tierAllows(tier, model.id)) return false;
    const provider = upstreams.find(({ id }) => id === model.upstream)?.provider ?? "";
    return modelDenial(policy, { model, provider }) === undefined;
  }

  #next(): void {
    while (this.#running.size < RUNNING_MAX) {
      const audit = this.#waiting.shift();
      if (audit === undefined) return;
      const running = this.#run(audit).catch((error) => {
        this.#deps.logger.error("audit_failed", { task: audit.task, cause: String(error) });
        return "failed" as const;
      }).then((end) => {
        this.#end(end);
        this.#chars -= sizeOf(audit);
        this.#running.delete(running);
        this.#next();
      });
      this.#running.add(running);
    }
  }

  async #run(audit: WaitingAudit): Promise<AuditEnd> {
    const { clock, auditStore, rng } = this.#deps;
    const settings = this.#settings();
    if (settings === undefined || !await this.#isAllowed(audit)) return "withdrawn";
    if (await this.#isImpossible(settings, audit)) return "impossible";
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
    const id = rng.id("audit");
    const budget = parseCredits(settings.dailyBudget) ?? 0n;
    const amount = reservationOf(audit, budget);
    const reserved = await auditStore.reserve({ id, day, amount, budget });
    if (reserved === 0n) return "no_budget";
    const { signal } = this.#closing;
    const run = new AuditRun(this.#deps, audit, { settings, reserved, signal });
    let result: AuditResult | undefined;
    try {
      result = await run.result();
    } finally {
      await auditStore.settle({ id, day, cost: run.spent });
    }
    if (result === undefined) return "incomplete";
    this.#note(audit, result);
    return "compared";
  }

  /** True when the key still consents, and no later policy may forbid one of the models. */
  async #isAllowed({ key }: WaitingAudit): Promise<boolean> {
    const { keys, clock } = this.#deps;
    const now = await keys.get(key.id);
    return now !== undefined && serves(now, clock.nowMs()) && now.walletId === key.walletId &&
      JSON.stringify(now.policy) === JSON.stringify(key.policy);
  }

  /** True when the operator's wallet cannot pay; logs each reason once. */
  async #isImpossible(settings: AuditSettings, { key }: WaitingAudit): Promise<boolean> {
    const { catalogs, ledger, logger } = this.#deps;
    const wallet = await ledger.wallet(settings.wallet);
    const keys = [key, ...await this.#keysNow(settings.wallet)];
    const obstacle = auditObstacle(settings, { catalog: catalogs.current(), wallet, keys });
    if (obstacle !== undefined && obstacle !== this.#obstacle) {
      logger.error("audits_stopped", { wallet: settings.wallet, message: obstacle });
    }
    this.#obstacle = obstacle;
    return obstacle !== undefined;
  }

  /** Returns the keys of the operator's wallet, as they were some seconds ago. */
  async #keysNow(walletId: string): Promise<readonly KeyRecord[]> {
    const atMs = this.#deps.clock.monotonicMs();
    // A key that another instance created is seen after that time.
    const { created } = this.#deps.keys;
    const known = this.#keys;
    const isKnown = known?.walletId === walletId && known.created === created &&
      atMs - known.atMs < KEYS_KNOWN_MS;
    if (isKnown) return known.list;
    const list = await Array.fromAsync(this.#deps.keys.ofWallet(walletId));
    this.#keys = { walletId, atMs, created, list };
    return list;
  }

  #note({ key: { walletId }, task, features }: WaitingAudit, result: AuditResult): void {
    const { learning, clock } = this.#deps;
    const atMs = clock.nowMs();
    const load = loadOf(features.difficulty);
    learning.noteAudit(walletId, { task, load, answers: result.answers }, atMs);
    for (const outcome of result.outcomes) {
      learning.noteOutcome({ walletId, task, atMs, source: "audit", load, ...outcome });
    }
  }
}

/** Returns the memory of an audit that waits or runs, in UTF-16 code units. */
function sizeOf({ body }: WaitingAudit): number {
  return body.text.length + KEPT_CHARS;
}

/** Returns the amount to reserve: the holds of the panel, and those of the judge. */
function reservationOf(
  { panel, features: { comparable } }: WaitingAudit,
  budget: Micros,
): Micros {
  const holds = [panel.best, ...panel.cheap].map(({ holdAmount }) => holdAmount);
  // The hold of a judge depends on answers that do not exist yet.
  const judged = comparable === undefined ? budget / BigInt(RUNNING_MAX) : 0n;
  return holds.reduce((sum, hold) => sum + hold, judged);
}
