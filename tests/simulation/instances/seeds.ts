/**
 * Runs seeds of several instances on a modelled PostgreSQL.
 *
 * @module
 */

import { shrink } from "../shrink.ts";
import { type InstancesOutcome, instanceSteps, runInstances } from "./run.ts";
import { simplerSteps, type Step, stepText } from "./steps.ts";

/** The sums of a run of many seeds. */
export interface InstancesTally {
  seeds: number;
  calls: number;
  settlements: number;
  recovered: number;
  ended: number;
  returned: number;
  cutOff: number;
  breaks: number;
  batches: number;
  corrections: number;
  closed: number;
  failed: number;
}

/** Runs seeds one after the other; `report` is called with each failing seed and its outcome. */
export async function runInstanceSeeds(
  { from, to, steps }: { readonly from: number; readonly to: number; readonly steps: number },
  report: (seed: number, outcome: InstancesOutcome, tally: InstancesTally) => Promise<void> | void,
): Promise<InstancesTally> {
  const sums = {
    calls: 0,
    settlements: 0,
    recovered: 0,
    ended: 0,
    returned: 0,
    cutOff: 0,
    breaks: 0,
    batches: 0,
  };
  const tally: InstancesTally = { seeds: 0, ...sums, corrections: 0, closed: 0, failed: 0 };
  for (let seed = from; seed <= to; seed++) {
    const outcome = await runInstances(instanceSteps({ seed, steps }));
    tally.seeds++;
    tally.calls += outcome.calls;
    tally.settlements += outcome.settlements;
    tally.recovered += outcome.recovered;
    tally.ended += outcome.ended;
    tally.returned += outcome.returned;
    tally.cutOff += outcome.cutOff;
    tally.breaks += outcome.breaks;
    tally.batches += outcome.batches;
    tally.corrections += outcome.corrections;
    tally.closed += outcome.closed;
    if (outcome.violation !== undefined) tally.failed++;
    await report(seed, outcome, tally);
  }
  return tally;
}

/** Returns the steps that fail in the same way and that a failing run needs. */
export async function shortestInstancesTrace(steps: readonly Step[]): Promise<readonly Step[]> {
  const { violation } = await runInstances(steps);
  if (violation === undefined) return steps;
  return await shrink(steps.slice(0, violation.step + 1), async (shorter) => {
    return (await runInstances(shorter)).violation?.invariant === violation.invariant;
  }, { simpler: simplerSteps });
}

/** Returns the violation of a failing seed, with the shortest trace found. */
export async function explainInstances(seed: number, steps: number): Promise<string> {
  const trace = await shortestInstancesTrace(instanceSteps({ seed, steps }));
  const { violation } = await runInstances(trace);
  return [
    `seed ${seed} of several instances violates: ${violation?.invariant}`,
    `  ${violation?.detail}`,
    `  the shortest trace found, ${trace.length} steps, and then everything comes to its end:`,
    ...trace.map((step) => `    ${stepText(step)}`),
    `  again: deno task sim --store postgres --seed ${seed} --steps ${steps}`,
  ].join("\n");
}
