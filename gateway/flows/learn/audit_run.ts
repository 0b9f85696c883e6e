/**
 * One audit: the models of its panel answer in turn, and their answers are compared.
 *
 * @module
 */

import type { AnswerContent } from "../../domain/learning/answers.ts";
import type { AuditPanel } from "../../domain/learning/audit_panel.ts";
import { auditedRequest } from "../../domain/learning/audit_request.ts";
import {
  areSurelyEqual,
  type AuditResult,
  comparedResult,
  type JudgedAnswer,
  judgedResult,
  type PanelAnswer,
} from "../../domain/learning/audit_result.ts";
import { judgedText, judgeRequest, verdictOf } from "../../domain/learning/judge.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import type { AuditSettings } from "../../domain/routing/auto.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import type { ChatRequest } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import { answerContent } from "../../wire/chat/answer_content.ts";
import { type AuditCallDeps, type AuditedAnswer, callForAudit } from "./audit_call.ts";

/** Length of the random part of a judge's words. */
const WORD_CHARS = 8;

/** A request to audit. */
export interface AuditedRequest {
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  readonly panel: AuditPanel;
}

/** Runs one audit within an amount that was reserved for it. */
export class AuditRun {
  readonly #deps: AuditCallDeps;
  readonly #request: AuditedRequest;
  readonly #settings: AuditSettings;
  readonly #body: JsonBody;
  readonly #signal: AbortSignal;
  #remaining: Micros;
  #spent: Micros = 0n;

  constructor(
    deps: AuditCallDeps,
    request: AuditedRequest,
    options: {
      readonly settings: AuditSettings;
      /** Maximum cost of all calls together. */
      readonly reserved: Micros;
      /** Ends the calls. */
      readonly signal: AbortSignal;
    },
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#settings = options.settings;
    this.#signal = options.signal;
    this.#remaining = options.reserved;
    this.#body = bodyOf(auditedRequest(request.body.value));
  }

  /** Cost of the calls up to now. */
  get spent(): Micros {
    return this.#spent;
  }

  /**
   * Asks the models, the best one first. Resolves to `undefined` if the best model, or all others,
   * gave no answer to compare. Never throws.
   */
  async result(): Promise<AuditResult | undefined> {
    const { panel, features: { comparable } } = this.#request;
    const best = await this.#ask(panel.best);
    // Without the best model's answer there is nothing to compare with.
    if (best?.content === undefined) return undefined;
    if (comparable === undefined) return await this.#judged({ ...best, content: best.content });
    const answers = [best];
    for (const candidate of panel.cheap) {
      const answer = await this.#ask(candidate);
      if (answer !== undefined) answers.push(answer);
    }
    return answers.length < 2 ? undefined : comparedResult(answers, comparable);
  }

  async #judged(
    best: PanelAnswer & { readonly content: AnswerContent },
  ): Promise<AuditResult | undefined> {
    const others: JudgedAnswer[] = [];
    for (const candidate of this.#request.panel.cheap) {
      const answer = await this.#ask(candidate);
      if (answer?.content === undefined) continue;
      const { content, ...known } = answer;
      const judged = !areSurelyEqual(best.content, content);
      const isEqual = judged ? await this.#judge(best.content, content) : true;
      if (isEqual !== undefined) others.push({ ...known, content: undefined, isEqual, judged });
    }
    return others.length === 0 ? undefined : judgedResult(best, others);
  }

  /** Returns a model's answer; `undefined` if the call failed, or its cost did not pay for one. */
  async #ask({ model: { id: model } }: Candidate): Promise<PanelAnswer | undefined> {
    const { features } = this.#request;
    const { completion, charged, isLowered } = await this.#call({
      ...{ model, body: this.#body, features },
    });
    if (completion === undefined) return undefined;
    // The model is not to blame for an answer that the funds cut short.
    if (isLowered && isCut(completion)) return undefined;
    const content = answerContent(completion);
    return { model, content, cost: Number(formatCredits(charged)) };
  }

  /** Returns true if the judge calls two answers equal; `undefined` if it does not tell. */
  async #judge(best: AnswerContent, other: AnswerContent): Promise<boolean | undefined> {
    const { judge } = this.#settings;
    const [one, two] = [judgedText(best), judgedText(other)];
    if (judge === undefined || one === undefined || two === undefined) return undefined;
    const { rng } = this.#deps;
    const words = { equal: this.#word(), different: this.#word() };
    // Models prefer one of the two places.
    const value = judgeRequest(rng.next() < 0.5 ? [one, two] : [two, one], words);
    const { completion } = await this.#call({
      model: judge,
      body: bodyOf(value),
      features: chatFeatures(value as unknown as ChatRequest),
    });
    const reply = completion && answerContent(completion);
    return reply && verdictOf(reply.text, words);
  }

  #word(): string {
    return this.#deps.rng.id("word").slice(-WORD_CHARS).toUpperCase();
  }

  async #call(
    call: { readonly model: string; readonly body: JsonBody; readonly features: RequestFeatures },
  ): Promise<AuditedAnswer> {
    if (this.#remaining <= 0n || this.#signal.aborted) return { charged: 0n, isLowered: false };
    const { wallet: walletId } = this.#settings;
    const answer = await callForAudit(
      this.#deps,
      { ...call, walletId, most: this.#remaining },
      this.#signal,
    );
    this.#spent += answer.charged;
    this.#remaining -= answer.charged;
    return answer;
  }
}

function isCut({ choices }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(choices) && Object(choices[0]).finish_reason === "length";
}

function bodyOf(value: Readonly<Record<string, unknown>>): JsonBody {
  return { text: JSON.stringify(value), value };
}
