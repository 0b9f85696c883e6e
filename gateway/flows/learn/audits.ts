/**
 * Audits: a share of the requests of consenting keys is asked of other models too, once the caller
 * was answered. Equal answers count as good. The operator's own wallet pays.
 *
 * @module
 */

import type { AuditSettings } from "../../domain/routing/auto.ts";
import { SHARE_MAX } from "../../domain/routing/auto.ts";
import { loadOf } from "../../domain/learning/estimate.ts";
import { type AuditPanel, auditPanel } from "../../domain/learning/audit_panel.ts";
import type { AuditRecord } from "../../domain/learning/statistics.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { AuditStore } from "../../ports/audit_store.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { ChatDeps } from "../chat/chat_call.ts";
import type { OpenPlan } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { AuditCall } from "./audit_call.ts";
import type { Learning } from "./learning.ts";

/** Maximum audits in progress. */
const RUNNING_MAX = 2;
/** Maximum size of the requests that wait for their audit, in UTF-16 code units. */
const WAITING_CHARS_MAX = 4 * 1024 * 1024;

/** Parts of the service that audits use. */
export type AuditDeps = ChatDeps & {
  readonly auditStore: AuditStore;
  readonly learning: Pick<Learning, "noteOutcome" | "noteAudit" | "seedOf">;
};

/** A request that was answered. */
export interface AnsweredRequest {
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  readonly plan: OpenPlan;
}

interface WaitingAudit extends AnsweredRequest {
  readonly walletId: string;
  readonly task: string;
  readonly panel: AuditPanel;
  readonly settings: AuditSettings;
}

/** The audits of one gateway. */
export class Audits {
  readonly #deps: AuditDeps;
  readonly #waiting: WaitingAudit[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #waitingChars = 0;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  /**
   * Audits an answered request if its key consents, its answers compare and the keyed hash of its id
   * selects it. Returns at once: the audit runs later. A request that would exceed the memory for
   * waiting requests is not audited.
   */
  offer(active: ActiveRequest, request: AnsweredRequest): void {
    const audit = this.#auditOf(active, request);
    if (audit === undefined || this.#closing.signal.aborted) return;
    const chars = audit.body.text.length;
    if (this.#waitingChars + chars > WAITING_CHARS_MAX) return;
    this.#waitingChars += chars;
    this.#waiting.push(audit);
    this.#next();
  }

  /** Resolves when no audit waits or runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Ends the audits in progress and drops those that wait. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#waiting.length = 0;
    await this.idle();
  }

  #auditOf(active: ActiveRequest, request: AnsweredRequest): WaitingAudit | undefined {
    const settings = this.#deps.catalogs.current().auto?.audits;
    const { features, plan } = request;
    const { key, logId } = active.identity;
    const { task, kind } = plan.basis;
    if (settings === undefined || key.policy.auto?.audits !== true || task === undefined) {
      return undefined;
    }
    // The verified answer compared several models itself.
    if (kind === "verified" || active.bill.settled === undefined) return undefined;
    if (features.choices > 1 || features.hostedTools.length > 0) return undefined;
    if (features.comparable === undefined && settings.judge === undefined) return undefined;
    const share = Math.min(settings.share, SHARE_MAX);
    if (this.#deps.learning.seedOf(`audit ${logId}`) >= share) return undefined;
    const panel = auditPanel(plan.candidates, active.report.model ?? "");
    if (panel === undefined) return undefined;
    return { ...request, walletId: key.walletId, task, panel, settings };
  }

  #next(): void {
    while (this.#running.size < RUNNING_MAX) {
      const audit = this.#waiting.shift();
      if (audit === undefined) return;
      const running = this.#run(audit).catch((error) =>
        this.#deps.logger.warn("audit_failed", { task: audit.task, cause: String(error) })
      ).finally(() => {
        this.#waitingChars -= audit.body.text.length;
        this.#running.delete(running);
        this.#next();
      });
      this.#running.add(running);
    }
  }

  async #run(audit: WaitingAudit): Promise<void> {
    const { clock, auditStore, rng } = this.#deps;
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
    const budget = parseCredits(audit.settings.dailyBudget) ?? 0n;
    let remaining = budget - await auditStore.spentOn(day);
    const id = rng.id("audit");
    let spent: Micros = 0n;
    const call = new AuditCall(this.#deps, audit, this.#closing.signal);
    const answers: AuditAnswer[] = [];
    try {
      for (const candidate of [audit.panel.best, ...audit.panel.cheap]) {
        if (remaining <= 0n || this.#closing.signal.aborted) break;
        const answer = await call.ask(candidate, formatCredits(remaining));
        spent += answer.charged;
        remaining -= answer.charged;
        // Without the best model's answer there is nothing to compare with.
        if (answer.text === undefined && candidate === audit.panel.best) break;
        if (answer.text === undefined) continue;
        const best = answers[0]?.text;
        const verdict = best === undefined
          ? { isEqual: true, judged: false, charged: 0n }
          : await call.compare(best, answer.text, formatCredits(remaining));
        spent += verdict.charged;
        remaining -= verdict.charged;
        if (verdict.isEqual === undefined) continue;
        const { text, charged } = answer;
        answers.push({ ...verdict, model: candidate.model.id, text, charged });
      }
    } finally {
      if (spent > 0n) await auditStore.add({ id, day, cost: spent });
    }
    if (answers.length > 1) this.#note(audit, answers);
  }

  #note({ walletId, task, features }: WaitingAudit, answers: readonly AuditAnswer[]): void {
    const { learning, clock } = this.#deps;
    const atMs = clock.nowMs();
    const load = loadOf(features.difficulty);
    const groups: string[] = [];
    const record: AuditRecord = {
      task,
      load,
      answers: answers.map(({ model, text, charged, isEqual, judged }) => {
        if (!isEqual && !groups.includes(text)) groups.push(text);
        const cost = Number(formatCredits(charged));
        const group = isEqual ? 0 : 1 + groups.indexOf(text);
        return { model, group, cost, ...(judged ? { judged } : {}) };
      }),
    };
    learning.noteAudit(walletId, record, atMs);
    for (const { model, isEqual } of answers) {
      const score = isEqual ? 1 : 0;
      learning.noteOutcome({
        walletId,
        task,
        model,
        atMs,
        source: "audit",
        score,
        weight: 1,
        load,
      });
    }
  }
}

/** An answer of the panel, compared with the best model's. */
interface AuditAnswer {
  readonly model: string;
  /** Canonical form: equal answers have equal texts. */
  readonly text: string;
  readonly charged: Micros;
  readonly isEqual: boolean | undefined;
  readonly judged: boolean;
}
