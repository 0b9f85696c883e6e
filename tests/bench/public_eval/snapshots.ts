/**
 * Snapshots that a wallet would have after the training half, taken with the gateway's own functions.
 *
 * @module
 */

import type { Catalog } from "../../../gateway/domain/catalog/catalog.ts";
import { Additions } from "../../../gateway/domain/learning/additions.ts";
import { auditPanel } from "../../../gateway/domain/learning/audit_panel.ts";
import { loadOf } from "../../../gateway/domain/learning/estimate.ts";
import {
  EMPTY_SNAPSHOT,
  nextSnapshot,
  type RoutingSnapshot,
} from "../../../gateway/domain/learning/snapshot.ts";
import {
  OUTCOME_SOURCES,
  type OutcomeSource,
  SAMPLES_MAX,
} from "../../../gateway/domain/learning/statistics.ts";
import { DEFAULT_DIAL } from "../../../gateway/domain/routing/dial.ts";
import { NOW_MS, WALLET } from "./catalog.ts";
import { randomOf } from "./random.ts";
import { type Bench, type OpenPlan, planOf, served } from "./replay.ts";

/** Requests of the training half that are audited. */
export const AUDITS = 200;
/** Votes of the scenario with feedback alone. */
export const VOTES = 200;
/** Votes between two snapshots. */
const VOTES_PER_SNAPSHOT = 10;

/** The training half with its catalog. */
export interface Training {
  readonly bench: Bench;
  readonly catalog: Catalog;
  /** Positions of the questions, in the order of their arrival. */
  readonly training: readonly number[];
  readonly seed: number;
}

/** Returns the snapshot after the requests of the training half, without any outcome. */
export function untrainedSnapshot(input: Training): RoutingSnapshot {
  return after(EMPTY_SNAPSHOT, samplesOf(input), input.catalog);
}

/** Returns the snapshot after the outcome of every model at every question of the training half. */
export function trainedSnapshot(input: Training): RoutingSnapshot {
  const { bench, training } = input;
  const additions = samplesOf(input);
  for (const at of training) {
    for (const [model, score] of (bench.set.questions[at]?.y ?? []).entries()) {
      const name = bench.set.models[model] ?? "";
      noteOutcome(additions, { bench, at, model: name, score, source: "feedback" });
    }
  }
  return after(EMPTY_SNAPSHOT, additions, input.catalog);
}

/**
 * Returns the snapshot after audits of the first requests of the training half: the best allowed
 * model and the panel of cheap ones answered, and answers equal to the best one's count as right.
 */
export function auditedSnapshot(input: Training): RoutingSnapshot {
  const { bench, catalog, training, seed } = input;
  const additions = samplesOf(input, "auto");
  const random = randomOf(seed + 20_000);
  const snapshot = untrainedSnapshot(input);
  for (const at of training.slice(0, AUDITS)) {
    const way = { snapshot, verify: "off" } as const;
    const plan = planOf(bench, at, { catalog, way, dial: DEFAULT_DIAL, seed: random() });
    noteAudit(additions, bench, at, plan);
  }
  return after(EMPTY_SNAPSHOT, additions, catalog);
}

function noteAudit(additions: Additions, bench: Bench, at: number, plan: OpenPlan): void {
  const question = bench.set.questions[at];
  const answers = question?.a;
  const panel = auditPanel(plan.candidates, plan.candidates[0]?.model.id ?? "");
  if (question === undefined || answers === undefined || panel === undefined) return;
  const models = [panel.best, ...panel.cheap].map(({ model }) => model.id);
  const columns = models.map((model) => bench.set.models.indexOf(model));
  const hashes = columns.map((column) => answers[column] ?? "");
  const record = {
    task: question.cat,
    load: loadAt(bench, at),
    answers: models.map((model, index) => ({
      model,
      group: hashes.indexOf(hashes[index] ?? ""),
      cost: (question.c[columns[index] ?? 0] ?? 0) / 1_000,
    })),
  };
  additions.noteAudit(WALLET.id, record, NOW_MS);
  for (const { model, group } of record.answers) {
    noteOutcome(additions, { bench, at, model, score: group === 0 ? 1 : 0, source: "audit" });
  }
}

/**
 * Returns the snapshot after {@linkcode VOTES} requests, each routed by the snapshot before it, with
 * a vote about the model that served it. `wrong` is the share of votes that state the opposite.
 */
export function votedSnapshot(input: Training, wrong: number): RoutingSnapshot {
  const { bench, catalog, training, seed } = input;
  const random = randomOf(seed + 40_000);
  let snapshot = untrainedSnapshot(input);
  let additions = new Additions();
  for (const [index, at] of training.slice(0, VOTES).entries()) {
    const way = { snapshot, verify: "off" } as const;
    const plan = planOf(bench, at, { catalog, way, dial: DEFAULT_DIAL, seed: random() });
    const { quality, model } = served(bench, at, plan);
    const score = random() < wrong ? 1 - quality : quality;
    const name = bench.set.models[model] ?? "";
    noteOutcome(additions, { bench, at, model: name, score, source: "feedback" });
    if ((index + 1) % VOTES_PER_SNAPSHOT > 0) continue;
    snapshot = after(snapshot, additions, catalog);
    additions = new Additions();
  }
  return additions.isEmpty ? snapshot : after(snapshot, additions, catalog);
}

/** Returns the decisions about the first requests of the training half, as samples. */
function samplesOf(
  { bench, catalog, training, seed }: Training,
  verify: "off" | "auto" = "off",
): Additions {
  const additions = new Additions();
  const random = randomOf(seed + 60_000);
  for (const at of training.slice(0, SAMPLES_MAX)) {
    const way = { snapshot: EMPTY_SNAPSHOT, verify } as const;
    const plan = planOf(bench, at, { catalog, way, dial: DEFAULT_DIAL, seed: random() });
    const { cost } = served(bench, at, plan);
    const { sample } = plan.basis;
    const [first] = plan.candidates;
    const bestFactor = (sample?.price ?? 0) / (first?.ranking.price ?? 1);
    additions.noteServed({
      walletId: WALLET.id,
      task: bench.set.questions[at]?.cat ?? "",
      model: first?.model.id ?? "",
      atMs: NOW_MS,
      charged: cost,
      bestFactor,
      cheapestFactor: 1,
      sample: sample === undefined ? undefined : { ...sample, spent: cost * bestFactor },
    });
  }
  return additions;
}

function loadAt({ features }: Bench, at: number): number {
  return loadOf(features[at]?.difficulty ?? 0);
}

function noteOutcome(additions: Additions, { bench, at, model, score, source }: {
  readonly bench: Bench;
  readonly at: number;
  readonly model: string;
  readonly score: number;
  readonly source: OutcomeSource;
}): void {
  additions.noteOutcome({
    walletId: WALLET.id,
    task: bench.set.questions[at]?.cat ?? "",
    model,
    atMs: NOW_MS,
    source,
    score,
    weight: 1,
    load: loadAt(bench, at),
  });
}

function after(previous: RoutingSnapshot, additions: Additions, catalog: Catalog): RoutingSnapshot {
  const qualities = new Map(catalog.models.map(({ id, quality }) => [id, quality]));
  return nextSnapshot(previous, additions.byWallet(), {
    nowMs: NOW_MS,
    qualityOf: (model) => qualities.get(model),
    sources: OUTCOME_SOURCES,
  });
}
