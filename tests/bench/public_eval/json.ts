/**
 * The report of an evaluation as one JSON document.
 *
 * @module
 */

import type { SetReport } from "./evaluate.ts";
import type { EvalReport } from "./report.ts";

/** Returns the report as a value that JSON can hold. */
export function jsonOf({ seeds, sets, pooled, feedback }: EvalReport): unknown {
  return { seeds, sets: sets.map(setJson), pooled: pooled.map(setJson), feedback };
}

function setJson({ set, qualities, pair, apgr, ways, baselines }: SetReport): unknown {
  const { models, best } = baselines.points();
  return {
    name: set.name,
    questions: set.questions.length,
    models: set.models.map((id, at) => ({ id, ...models[at] })),
    qualities,
    pair,
    apgr,
    best,
    oracle: baselines.oracle.mean(undefined),
    ways,
  };
}
