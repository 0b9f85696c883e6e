/**
 * Statistics of a wallet's traffic: the outcomes of each model at each task, a sample of recent
 * routing decisions, and the latest audits. They hold no text of prompts or answers.
 *
 * All sums are additive, so the statistics that one process collected since the last snapshot are
 * added to it, whichever process takes the next one.
 *
 * @module
 */

/** Sources of outcomes: votes of callers, audits, and checks of the answers themselves. */
export const OUTCOME_SOURCES = ["feedback", "audit", "implicit"] as const;

export type OutcomeSource = typeof OUTCOME_SOURCES[number];

/** Outcomes from one source, as decayed sums over weighted outcomes. */
export interface OutcomeSum {
  /** Sum of weights. */
  readonly weight: number;
  /**
   * Sum of `weight * (1 - score)`. Of implicit outcomes the sum of alarms: an answer without an alarm
   * is noted with the score 1, and counts as `estimate.ts` says.
   */
  readonly bad: number;
  /**
   * Sum of `weight * load`: the load of a request is its difficulty beside a typical one. `bad /
   * load` is the share of bad answers at a typical difficulty, whichever requests the model served.
   */
  readonly load: number;
}

/** One model at one task, or at all tasks of a wallet. */
export interface ModelStatistics {
  /** Requests that the model answered. */
  readonly served: number;
  /** Credits charged for them. */
  readonly charged: number;
  /** Outcomes of all sources, neither weighted nor decayed. */
  readonly outcomes: number;
  readonly sums: Readonly<Partial<Record<OutcomeSource, OutcomeSum>>>;
}

/** One task: requests of the same kind, see `taskOf`. */
export interface TaskStatistics {
  /** Unix time in milliseconds of the last request. */
  readonly lastUsedMs: number;
  /** By catalog id. */
  readonly models: Readonly<Record<string, ModelStatistics>>;
  /** Credits that its requests would have cost at the best allowed model. */
  readonly bestCharged: number;
  /** Credits that its requests would have cost at the cheapest allowed model. */
  readonly cheapestCharged: number;
}

/** One routing decision, for measuring the share of cost at a position of the dial. */
export interface RouteSample {
  readonly task: string;
  /** Difficulty beside a typical request: 1 is typical. */
  readonly load: number;
  /** Expected price of the request at the best allowed model, in credits. */
  readonly price: number;
  /**
   * Price of the request at that model by the usage it turned out to have, in credits.
   *
   * @default {price}
   */
  readonly spent?: number | undefined;
  /** True when its answer may be verified wherever that is worth it. @default {false} */
  readonly isVerifiable?: boolean | undefined;
  /** The allowed models: catalog id, and price as a share of `price`. */
  readonly options: readonly (readonly [model: string, share: number])[];
}

/** One audit: which models gave equal answers to one request. */
export interface AuditRecord {
  readonly task: string;
  readonly load: number;
  /**
   * The best allowed model first. Models of one group gave equal answers; `cost` is in credits.
   * `judged` is true where a judge model compared the answer with the best one's.
   */
  readonly answers: readonly {
    readonly model: string;
    readonly group: number;
    readonly cost: number;
    readonly judged?: boolean | undefined;
  }[];
}

/** The statistics of one wallet, or an addition to them. */
export interface WalletStatistics {
  /** By fingerprint. */
  readonly tasks: Readonly<Record<string, TaskStatistics>>;
  /** Oldest first. */
  readonly samples: readonly RouteSample[];
  /** Oldest first. */
  readonly audits: readonly AuditRecord[];
}

/** Statistics of a wallet without traffic. */
export const NO_STATISTICS: WalletStatistics = { tasks: {}, samples: [], audits: [] };

/** Maximum tasks of one wallet; the least recently used are dropped. */
export const TASKS_PER_WALLET_MAX = 1_000;
/** Maximum decisions that are kept of one wallet. */
export const SAMPLES_MAX = 256;
/** Maximum audits that are kept of one wallet. */
export const AUDITS_MAX = 512;
/** Time in which an outcome loses half of its weight, in milliseconds: 30 days. */
export const HALF_LIFE_MS = 30 * 86_400_000;
/**
 * Maximum weight and load of one source at one model of one task: further outcomes replace older
 * ones in proportion, so that a flood of votes cannot outweigh the other sources, also on requests
 * that are made hard.
 */
export const SOURCE_WEIGHT_MAX: Readonly<Record<OutcomeSource, number>> = {
  feedback: 200,
  audit: 400,
  implicit: 50,
};

/**
 * Minimum time between two decays of a wallet's outcomes, in milliseconds: an hour, in which a
 * weight loses a thousandth. Until then, tasks without an addition stay as they are.
 */
export const DECAY_STEP_MS = 3_600_000;
/** Reciprocal of the precision of sums: their stored text is short, and equal to them. */
const PRECISION = 1e6;
/** Weight below which a sum is dropped. */
const WEIGHT_MIN = 1e-3;

function rounded(value: number): number {
  return Math.round(value * PRECISION) / PRECISION;
}

/** Returns the sum of two sums, where the first has decayed by a factor. */
function addSums(one: OutcomeSum | undefined, other: OutcomeSum, decay: number): OutcomeSum {
  return {
    weight: rounded((one?.weight ?? 0) * decay + other.weight),
    bad: rounded((one?.bad ?? 0) * decay + other.bad),
    load: rounded((one?.load ?? 0) * decay + other.load),
  };
}

/** Scales a sum down to a maximum weight, which its load does not exceed either. */
function boundSum(sum: OutcomeSum, max: number): OutcomeSum {
  const most = Math.max(sum.weight, sum.load);
  if (most <= max) return sum;
  const factor = max / most;
  return {
    weight: rounded(sum.weight * factor),
    bad: rounded(sum.bad * factor),
    load: rounded(sum.load * factor),
  };
}

function addModels(
  one: ModelStatistics | undefined,
  other: ModelStatistics | undefined,
  decay: number,
): ModelStatistics {
  const sums: Partial<Record<OutcomeSource, OutcomeSum>> = {};
  for (const source of OUTCOME_SOURCES) {
    const added = other?.sums[source] ?? { weight: 0, bad: 0, load: 0 };
    const sum = addSums(one?.sums[source], added, decay);
    if (sum.weight >= WEIGHT_MIN) sums[source] = boundSum(sum, SOURCE_WEIGHT_MAX[source]);
  }
  return {
    served: (one?.served ?? 0) + (other?.served ?? 0),
    charged: rounded((one?.charged ?? 0) + (other?.charged ?? 0)),
    outcomes: (one?.outcomes ?? 0) + (other?.outcomes ?? 0),
    sums,
  };
}

function addTasks(
  one: TaskStatistics | undefined,
  other: TaskStatistics | undefined,
  decay: number,
): TaskStatistics {
  const ids = new Set([...Object.keys(one?.models ?? {}), ...Object.keys(other?.models ?? {})]);
  const models: Record<string, ModelStatistics> = {};
  for (const id of ids) models[id] = addModels(one?.models[id], other?.models[id], decay);
  return {
    lastUsedMs: Math.max(one?.lastUsedMs ?? 0, other?.lastUsedMs ?? 0),
    models,
    bestCharged: rounded((one?.bestCharged ?? 0) + (other?.bestCharged ?? 0)),
    cheapestCharged: rounded((one?.cheapestCharged ?? 0) + (other?.cheapestCharged ?? 0)),
  };
}

/**
 * Adds what was collected in `elapsedMs` to a wallet's statistics, and applies the bounds: outcomes
 * decay, the least recently used tasks go, the latest samples and audits stay.
 */
export function addStatistics(
  base: WalletStatistics,
  added: WalletStatistics,
  elapsedMs: number,
): WalletStatistics {
  const decay = 2 ** (-Math.max(0, elapsedMs) / HALF_LIFE_MS);
  const ids = new Set([...Object.keys(base.tasks), ...Object.keys(added.tasks)]);
  const entries = [...ids].map((id): readonly [string, TaskStatistics] => {
    const [known, addition] = [base.tasks[id], added.tasks[id]];
    const isUnchanged = known !== undefined && addition === undefined && decay === 1;
    return [id, isUnchanged ? known : addTasks(known, addition, decay)];
  });
  entries.sort(([a, one], [b, other]) => other.lastUsedMs - one.lastUsedMs || (a < b ? -1 : 1));
  const tasks = Object.fromEntries(entries.slice(0, TASKS_PER_WALLET_MAX));
  return {
    tasks,
    samples: [...base.samples, ...added.samples].slice(-SAMPLES_MAX),
    audits: [...base.audits, ...added.audits].filter(({ task }) => task in tasks)
      .slice(-AUDITS_MAX),
  };
}
