/**
 * The events of a run, drawn from a seed before the run begins. Each step is independent, so a
 * failing run can be reduced step by step.
 *
 * @module
 */

import type { Random } from "./random.ts";
import type { Script } from "./scripted_upstream.ts";
import type { CommitEnd } from "./simulated_kv.ts";
import { KEYS, WALLETS } from "./founding.ts";
import { drawSplit, type SplitScript } from "./split_question.ts";

/** A request of a caller. */
export interface Question {
  /** Seed of the randomness that serves the request. */
  readonly seed: number;
  /** Number of its key. */
  readonly key: number;
  readonly surface: "chat" | "responses";
  readonly stream: boolean;
  /** Number of words in the prompt. */
  readonly words: number;
  readonly maxTokens: number;
  readonly script: Script;
  /** Course of a request that the gate splits; `script` is for an answer by one call after all. */
  readonly split?: SplitScript | undefined;
}

/** Corrections that runs draw alike; `again` repeats an earlier one under its id. */
const DRAWN_KINDS = ["debit", "adjust", "tier", "refund", "move", "again"] as const;
/** Share of corrections that close a wallet, which stays closed for the rest of the run. */
const CLOSE_SHARE = 0.12;

/** A correction of the operator. */
export interface DrawnCorrection {
  readonly what: typeof DRAWN_KINDS[number] | "close";
  /** Number of the wallet, or of the key that moves. */
  readonly number: number;
  readonly amount: number;
  /** Chooses among the settlements, or earlier corrections, as a fraction of their number. */
  readonly pick: number;
}

/** A change of a key. */
export type KeyChange = "disable" | "enable" | "revoke" | "rotate";

/** An outcome of a failing commit. */
export type CommitFailure = Exclude<CommitEnd, "ok">;

/**
 * One event. `pick` chooses among the waiting actions, as a fraction of their number. A followed
 * request continues that many times before any other.
 */
export type Step =
  | {
    readonly kind: "ask";
    readonly question: Question;
    /** Number of equal requests at once. @default {1} */
    readonly times?: number;
  }
  | { readonly kind: "go"; readonly pick: number }
  | { readonly kind: "follow"; readonly pick: number; readonly events: number }
  | { readonly kind: "leave"; readonly pick: number }
  | { readonly kind: "credit"; readonly wallet: number; readonly amount: number }
  | { readonly kind: "correct" } & DrawnCorrection
  | { readonly kind: "key"; readonly key: number; readonly change: KeyChange }
  | { readonly kind: "catalog"; readonly price: number }
  | {
    readonly kind: "fail";
    readonly how: CommitFailure;
    readonly commits: number;
    /** Number of reads that fail after each of them. */
    readonly reads: number;
  }
  | { readonly kind: "unreadable"; readonly reads: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "jump"; readonly ms: number }
  | { readonly kind: "snapshot" }
  | { readonly kind: "stop" }
  | {
    readonly kind: "crash";
    /** True when the waiting commit lands. */
    readonly landed: boolean;
    /** Time that passes before, in which streams may write checkpoints. */
    readonly afterMs: number;
  };

/** Share of requests that are split. */
const SPLIT_SHARE = 0.25;
/** Share of requests that are long. */
const HOG_SHARE = 0.03;
const HOG_WORDS = 10_000;

type Draw = (random: Random) => Step;

const FAILURES = [
  ...["server_error", "rate_limited", "connect_failed", "timeout", "malformed"] as const,
  ...["refused_input", "refused_credentials"] as const,
] as const;
/** Output in impossible reports; most requests send no such report. */
const FALSE_USAGE: readonly (number | undefined)[] = [-1, -1_000, -0.5, -1, -1_000, -0.5, -1, -0.5];
const WAITS_MS = [5, 5, 5, 5, 5, 5, 100, 1_000, 2_500, 2_500, 10_000, 61_000] as const;
const JUMPS_MS = [-86_400_000, -3_600_000, -1, 1_000, 600_000, 86_400_000] as const;

/** Kinds of steps: the way to draw them, and their weights. */
const KINDS: readonly (readonly [weight: number, draw: Draw])[] = [
  [8, drawAsk],
  [75, (random) => ({ kind: "go", pick: random.next() })],
  [
    6,
    (random) => ({
      kind: "follow",
      pick: random.next(),
      events: 2 + random.below(random.pick([14, 14, 60])),
    }),
  ],
  [3, (random) => ({ kind: "leave", pick: random.next() })],
  [1.5, (random) => ({
    kind: "credit",
    wallet: random.below(WALLETS),
    amount: 1 + random.below(900),
  })],
  [1, (random) => ({
    kind: "key",
    key: random.below(KEYS + 2),
    change: random.pick(["disable", "enable", "enable", "revoke", "rotate"]),
  })],
  [0.7, (random) => ({ kind: "catalog", price: random.below(1_000) })],
  [2, (random) => ({
    kind: "fail",
    how: random.pick(["locked", "full", "unacknowledged", "unacknowledged"]),
    commits: random.pick([1, 1, 1, 2, 6, 20]),
    // The last is longer than an answer waits for the confirmation of its settlement.
    reads: random.pick([0, 0, 0, 2, 15, 100]),
  })],
  [0.7, (random) => ({ kind: "unreadable", reads: random.pick([1, 3, 15]) })],
  [12, (random) => ({ kind: "wait", ms: random.pick(WAITS_MS) })],
  [0.7, (random) => ({ kind: "jump", ms: random.pick(JUMPS_MS) })],
  [0.3, () => ({ kind: "stop" })],
  [3, () => ({ kind: "snapshot" })],
  [1, (random) => ({
    kind: "crash",
    landed: random.chance(0.5),
    afterMs: random.pick([0, 0, 2_600]),
  })],
  [1.5, (random) => ({
    kind: "correct",
    what: random.chance(CLOSE_SHARE) ? "close" : random.pick(DRAWN_KINDS),
    number: random.below(KEYS + WALLETS),
    amount: 1 + random.below(300),
    pick: random.next(),
  })],
];

/** Draws the steps of a seed. Each seed has its habits: some events often, some never. */
export function drawSteps(random: Random, count: number): Step[] {
  const weights = KINDS.map(([weight]) => weight * random.pick([0, 0.5, 1, 1, 1, 2, 4]));
  // A run without requests, or in which nothing continues, shows nothing.
  weights[0] = Math.max(weights[0] ?? 0, 4);
  weights[1] = Math.max(weights[1] ?? 0, 30);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: count }, () => {
    let remainder = random.next() * total;
    const at = weights.findIndex((weight) => (remainder -= weight) < 0);
    const [, draw] = KINDS[at] ?? KINDS[1]!;
    return draw(random);
  });
}

function drawAsk(random: Random): Step {
  const question = drawQuestion(random);
  // Several requests at once may use up credits or leases between their parts.
  const times = question.split === undefined ? 1 : random.chance(0.1) ? 4 : 1;
  return times === 1 ? { kind: "ask", question } : { kind: "ask", question, times };
}

function drawQuestion(random: Random): Question {
  const question: Question = {
    seed: random.below(1_000_000),
    key: random.below(KEYS + 2),
    surface: random.pick(["chat", "chat", "responses"]),
    stream: random.chance(0.6),
    words: 1 + random.below(20),
    maxTokens: 16 + random.below(120),
    script: drawScript(random),
  };
  // Takes most of the credits that a split request of the same wallet has counted on.
  if (random.chance(HOG_SHARE)) return { ...question, key: KEYS - 2, words: HOG_WORDS };
  if (!random.chance(SPLIT_SHARE)) return question;
  const split = drawSplit(random, () => drawScript(random));
  // A shorter answer is not worth tasks; only the last keys can pay for them.
  const key = random.pick([KEYS - 3, KEYS - 2, KEYS - 1, question.key]);
  return { ...question, key, maxTokens: 128 + random.below(60), split };
}

function drawScript(random: Random): Script {
  const words = random.chance(0.1) ? 0 : random.below(random.pick([12, 12, 40]));
  const input = random.below(60);
  // Some upstreams report wrong usage: more than was held, none at all, or the impossible.
  const output = random.pick([words, words, words, 0, words + 0.5, 90_000_000]);
  const cached = random.chance(0.3) ? random.below(input + 1) : 0;
  const claimed = input % 10 === 9 ? 100_000 : input;
  return {
    failures: Array.from(
      { length: random.pick([0, 0, 0, 0, 0, 1, 2, 4]) },
      () => random.pick(FAILURES),
    ),
    words,
    usage: random.chance(0.3) ? undefined : { input: claimed, cached, output },
    usageFirst: random.chance(0.1),
    falseUsage: FALSE_USAGE[input],
    cutAfter: random.chance(0.15) ? random.below(words + 3) : undefined,
  };
}

/** Returns a step as one line of a trace. */
export function stepText(step: Step): string {
  const { kind, ...fields } = step;
  return `${kind} ${JSON.stringify(fields)}`;
}
