import type { Candidate } from "../../domain/routing/plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { Learning } from "./learning.ts";

/** Notes a request that a candidate answered, with its charge in credits. */
export function noteServed(
  { learning }: { readonly learning: Pick<Learning, "noteServed"> },
  active: ActiveRequest,
  { candidate, charged, atMs }: {
    readonly candidate: Candidate;
    readonly charged: number;
    readonly atMs: number;
  },
): void {
  const plan = active.report.plan;
  const task = plan?.basis.task;
  if (plan === undefined || task === undefined) return;
  const { sample } = plan.basis;
  const own = candidate.ranking.price;
  const shares = sample?.options.map(([, share]) => share) ?? [];
  const best = sample === undefined || own <= 0 ? 1 : sample.price / own;
  const cheapest = sample === undefined || own <= 0 ? 1 : best * Math.min(...shares);
  learning.noteServed({
    walletId: active.identity.key.walletId,
    task,
    model: candidate.model.id,
    atMs,
    charged,
    bestFactor: best,
    cheapestFactor: cheapest,
    sample: sample === undefined ? undefined : { ...sample, spent: charged * best },
  });
}
