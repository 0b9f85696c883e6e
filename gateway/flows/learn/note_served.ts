import type { BillingMetadata } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { Learning } from "./learning.ts";

type Charge = Pick<BillingMetadata, "charged">;

/**
 * Notes a request that a candidate answered. `billing` is the bill of the call that answered, `total`
 * that of the request.
 */
export function noteServed(
  { learning }: { readonly learning: Pick<Learning, "noteServed"> },
  active: ActiveRequest,
  { candidate, billing, total: whole, atMs }: {
    readonly candidate: Candidate;
    readonly billing: Charge | undefined;
    readonly total: Charge | undefined;
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
  // One model alone would not have cost what the others were asked for.
  const charged = Number(billing?.charged ?? 0);
  const total = Number(whole?.charged ?? 0);
  const isShared = active.report.isVerified && total > 0;
  const alone = isShared ? charged / total : 1;
  learning.noteServed({
    walletId: active.identity.key.walletId,
    task,
    model: candidate.model.id,
    atMs,
    charged: isShared ? total : charged,
    bestFactor: best * alone,
    cheapestFactor: cheapest * alone,
    sample: sample === undefined ? undefined : { ...sample, spent: charged * best },
  });
}
