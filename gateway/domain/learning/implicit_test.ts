import { assert, assertEquals, assertLess } from "@std/assert";
import { Additions, type OutcomeNote } from "./additions.ts";
import { estimatesOf, walletTotals } from "./estimate.ts";
import {
  addStatistics,
  NO_STATISTICS,
  OUTCOME_SOURCES,
  type OutcomeSource,
  SOURCE_WEIGHT_MAX,
  type WalletStatistics,
} from "./statistics.ts";

const NOTE: OutcomeNote = {
  ...{ walletId: "team", task: "t", model: "m", atMs: 1, source: "feedback", score: 1 },
  ...{ weight: 1, load: 1 },
};

function assertNear(actual: number, expected: number, tolerance = 1e-9): void {
  assert(Math.abs(actual - expected) <= tolerance, `${actual} is not near ${expected}`);
}

function statistics(notes: readonly (Partial<OutcomeNote> & { n: number })[]): WalletStatistics {
  let all = NO_STATISTICS;
  for (const { n, ...note } of notes) {
    for (let from = 0; from < n; from += 50) {
      const additions = new Additions();
      for (let at = 0; at < Math.min(50, n - from); at++) {
        additions.noteOutcome({ ...NOTE, ...note });
      }
      const added = additions.byWallet().get("team") ?? NO_STATISTICS;
      all = addStatistics(all, added, 0);
    }
  }
  return all;
}

function pOf(
  known: WalletStatistics,
  sources: readonly OutcomeSource[] = OUTCOME_SOURCES,
): number {
  const evidence = { wallet: walletTotals(known), task: known.tasks["t"], sources };
  return estimatesOf([{ id: "m", quality: 0.8 }], 1, evidence)[0]?.p ?? NaN;
}

const quiet = { source: "implicit", weight: 0.25, score: 1 } as const;
const alarm = { ...quiet, score: 0 };
const PRIOR = pOf(NO_STATISTICS);

Deno.test("answers without an alarm leave the estimate as it is, with and without votes", () => {
  assertNear(PRIOR, 0.8);
  assertEquals(pOf(statistics([{ ...quiet, n: 500 }])), PRIOR);
  const votes = [{ score: 0.4, n: 30 }];
  assertNear(pOf(statistics([...votes, { ...quiet, n: 500 }])), pOf(statistics(votes)));
  const { outcomes } =
    statistics([{ ...quiet, n: 500 }, { ...alarm, n: 3 }]).tasks["t"]?.models["m"] ??
      { outcomes: NaN };
  assertEquals(outcomes, 3);
});

Deno.test("alarms lower the estimate by their share of the answers, at a quarter of a vote", () => {
  const few = pOf(statistics([{ ...quiet, n: 190 }, { ...alarm, n: 10 }]));
  const many = pOf(statistics([{ ...quiet, n: 100 }, { ...alarm, n: 100 }]));
  assertLess(few, PRIOR);
  assertLess(many, few);
  // As many answers with the same share of alarms say more.
  assertLess(few, pOf(statistics([{ ...quiet, n: 19 }, { ...alarm, n: 1 }])));
  const vote = pOf(statistics([{ score: 0, n: 1 }]));
  assertLess(vote, pOf(statistics([{ ...alarm, n: 1 }])));
  // They move no further than their bound: a share of one at the greatest weight.
  const flood = pOf(statistics([{ ...alarm, n: 5_000 }]));
  assertNear(
    flood,
    pOf(statistics([{ ...alarm, n: 4 * SOURCE_WEIGHT_MAX.implicit }])),
    1e-3,
  );
});

Deno.test("a source that is switched off moves nothing", () => {
  const known = statistics([{ score: 0, n: 20 }, { ...alarm, n: 40 }]);
  assertEquals(pOf(known, ["audit"]), PRIOR);
  assertEquals(pOf(known, ["feedback"]), pOf(statistics([{ score: 0, n: 20 }])));
  assertEquals(pOf(known, ["implicit"]), pOf(statistics([{ ...alarm, n: 40 }])));
});

Deno.test("a flood of votes moves a task no further than its bound", () => {
  const bound = SOURCE_WEIGHT_MAX.feedback;
  const atBound = statistics([{ score: 0, n: bound }]);
  const flood = statistics([{ score: 0, n: 50 * bound }]);
  const sum = flood.tasks["t"]?.models["m"]?.sums.feedback;
  assertNear(sum?.weight ?? 0, bound);
  assertNear(pOf(flood), pOf(atBound), 1e-9);
  // Audits keep their weight beside it.
  const audits = { source: "audit", score: 1, n: 400 } as const;
  const audited = pOf(statistics([audits, { score: 0, n: 50 * bound }]));
  assert(audited > 0.5, `${audited}`);
  // Votes of the other opinion replace it as fast as it came.
  assert(pOf(statistics([{ score: 0, n: 50 * bound }, { n: 2 * bound }])) > 0.7);
});

Deno.test("a vote touches no other wallet, and no other model", () => {
  const additions = new Additions();
  for (let n = 0; n < 1_000; n++) additions.noteOutcome({ ...NOTE, score: 0 });
  additions.noteOutcome({ ...NOTE, walletId: "other" });
  const byWallet = additions.byWallet();
  assertEquals(Object.keys(byWallet.get("team")?.tasks["t"]?.models ?? {}), ["m"]);
  assertEquals(byWallet.get("other")?.tasks["t"]?.models["m"]?.sums, {
    feedback: { weight: 1, bad: 0, load: 1 },
  });
});
