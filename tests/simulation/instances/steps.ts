/**
 * The events of a run of several instances, drawn from a seed before the run begins.
 *
 * @module
 */

import type { Random } from "../random.ts";

/** Number of instances. */
export const INSTANCES = 3;
/** Number of wallets. */
export const WALLETS = 3;
/** Number of keys. */
export const KEYS = 3;

/** Number of keys that move between wallets. */
export const MOVED_KEYS = 2;
/** Corrections that runs draw alike; `again` repeats an earlier one under its id. */
const DRAWN_KINDS = ["debit", "adjust", "tier", "refund", "refund", "move", "again"] as const;
/** Share of corrections that close a wallet, which stays closed for the rest of the run. */
const CLOSE_SHARE = 0.08;

/** A correction of an operator. */
export interface DrawnCorrection {
  readonly what: typeof DRAWN_KINDS[number] | "close";
  readonly instance: number;
  /** Number of the wallet. */
  readonly number: number;
  readonly amount: number;
  /** Chooses among the settlements, or earlier corrections, as a fraction of their number. */
  readonly pick: number;
  /** True for one that waited for the approval of another person. */
  readonly isApproved: boolean;
  /** True for one that is sent to two instances at once; a key moves to two wallets. */
  readonly isTwice: boolean;
}

/** The course of a call. */
export interface Course {
  readonly instance: number;
  readonly wallet: number;
  readonly key: number;
  readonly amount: number;
  /** Least amount that it can do with. */
  readonly minimum: number;
  /** Budget of its key for the day; absent for none. */
  readonly budget?: number | undefined;
  /** Names of further budgets. */
  readonly named: readonly string[];
  readonly waitMs: number;
  /** Costs at which it has checkpoints. */
  readonly checkpoints: readonly number[];
  /** Its cost; absent for a call that is voided. */
  readonly cost?: number | undefined;
  /** True for a call that sends each command twice. */
  readonly repeats: boolean;
}

/** One event. `pick` chooses among several, as a fraction of their number. */
export type Step =
  | { readonly kind: "ask"; readonly course: Course }
  | { readonly kind: "go"; readonly pick: number }
  | { readonly kind: "serve"; readonly pick: number; readonly times: number }
  | { readonly kind: "credit"; readonly instance: number; readonly wallet: number }
  | { readonly kind: "correct" } & DrawnCorrection
  | {
    readonly kind: "cut";
    readonly pick: number;
    /** Number of sent statements that still arrive. */
    readonly kept: number;
  }
  /** The server refuses a statement: a time limit, or a full disk. */
  | { readonly kind: "deny"; readonly pick: number }
  | { readonly kind: "refuse"; readonly connects: number }
  | { readonly kind: "restart" }
  /** The next commit is acknowledged and lost, which no database may do; tests plant it. */
  | { readonly kind: "forget" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "kill"; readonly instance: number; readonly kept: number }
  /** A process stands still, until it is woken or killed. */
  | { readonly kind: "pause"; readonly instance: number }
  | { readonly kind: "resume"; readonly instance: number }
  /** Time passes in which the database serves everything, and no call goes on. */
  | { readonly kind: "live"; readonly ms: number }
  /** The database's clock is set. */
  | { readonly kind: "clock"; readonly ms: number };

type Draw = (random: Random) => Step;

/** Kinds of steps: the way to draw them, and their weights. */
const KINDS: readonly (readonly [weight: number, draw: Draw])[] = [
  [14, (random) => ({ kind: "ask", course: drawCourse(random) })],
  [16, (random) => ({ kind: "go", pick: random.next() })],
  [52, (random) => ({
    kind: "serve",
    pick: random.next(),
    times: random.pick([1, 1, 2, 3, 5, 8]),
  })],
  [2, (random) => ({
    kind: "credit",
    instance: random.below(INSTANCES),
    wallet: random.below(WALLETS),
  })],
  [2, (random) => ({
    kind: "correct",
    what: random.chance(CLOSE_SHARE) ? "close" : random.pick(DRAWN_KINDS),
    instance: random.below(INSTANCES),
    number: random.below(WALLETS),
    amount: 1 + random.below(120),
    pick: random.next(),
    isApproved: random.chance(0.3),
    isTwice: random.chance(0.3),
  })],
  [4, (random) => ({ kind: "cut", pick: random.next(), kept: random.pick([0, 0, 1, 2, 9]) })],
  [2, (random) => ({ kind: "deny", pick: random.next() })],
  [1, (random) => ({ kind: "refuse", connects: random.pick([1, 2, 5, 30]) })],
  [0.6, () => ({ kind: "restart" })],
  [6, (random) => ({ kind: "wait", ms: random.pick([1, 100, 250, 1_000, 2_500, 10_000]) })],
  [1, (random) => ({
    kind: "kill",
    instance: random.below(INSTANCES),
    kept: random.pick([0, 1, 9]),
  })],
  [1.2, (random) => ({ kind: "pause", instance: random.below(INSTANCES) })],
  [1.2, (random) => ({ kind: "resume", instance: random.below(INSTANCES) })],
  [1.5, (random) => ({ kind: "live", ms: random.pick([1_000, 5_000, 7_000, 10_000]) })],
  [0.3, (random) => ({ kind: "clock", ms: random.pick([-3_600_000, 3_600_000]) })],
];

const TOTAL = KINDS.reduce((sum, [weight]) => sum + weight, 0);

/** Draws steps. */
export function drawSteps(random: Random, count: number): Step[] {
  return Array.from({ length: count }, () => {
    let remaining = random.next() * TOTAL;
    const [, draw] = KINDS.find(([weight]) => (remaining -= weight) < 0) ?? KINDS[0]!;
    return draw(random);
  });
}

function drawCourse(random: Random): Course {
  const amount = 1 + random.below(120);
  const cost = random.below(Math.ceil(amount * 1.2));
  const checkpoints = Array.from(
    { length: random.pick([0, 0, 1, 3]) },
    () => random.below(cost + 1),
  );
  return {
    ...{ instance: random.below(INSTANCES), wallet: random.below(WALLETS) },
    ...{ key: random.below(KEYS), amount, minimum: random.chance(0.5) ? amount : 1 },
    budget: random.chance(0.2) ? 50 + random.below(100) : undefined,
    named: ["user:ann", "tag:team=a"].filter((_, at) => amount % (at + 2) === 0),
    waitMs: random.pick([0, 200, 5_000, 60_000]),
    checkpoints: checkpoints.sort((one, other) => one - other),
    cost: random.chance(0.8) ? cost : undefined,
    repeats: random.chance(0.15),
  };
}

/** Describes a step in one line. */
export function stepText(step: Step): string {
  return JSON.stringify(step);
}

/** Returns simpler versions of a step, the simplest first. */
export function simplerSteps(step: Step): Step[] {
  switch (step.kind) {
    case "ask":
      return [
        { checkpoints: [], repeats: false, budget: undefined, named: [] },
        { checkpoints: [] },
        { repeats: false },
        { budget: undefined },
        { named: [] },
        { waitMs: 0 },
      ].map((change): Step => ({ kind: "ask", course: { ...step.course, ...change } }));
    case "correct":
      return [{ isApproved: false, isTwice: false }, { isApproved: false }, { isTwice: false }]
        .map((change): Step => ({ ...step, ...change }));
    case "go":
      return step.pick === 0 ? [] : [{ kind: "go", pick: 0 }];
    case "serve":
      return step.pick === 0 ? [] : [{ ...step, pick: 0 }];
    default:
      return [];
  }
}
