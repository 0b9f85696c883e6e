import type { AnswerOf } from "../../admin_api/operations.ts";
import { auditCostOf, auditPlanOf } from "../../domain/learning/audit_budget.ts";
import {
  type Replay,
  replayChoices,
  type ReplayPolicy,
  replayWallet,
} from "../../domain/learning/replay.ts";
import { DEFAULT_DIAL, type Dial, MEASURED_DIALS, targetShare } from "../../domain/routing/dial.ts";
import type { AdminDeps } from "../deps.ts";
import {
  creditsJson,
  estimateContext,
  qualityJson,
  rounded,
  shareOf,
  walletsIn,
} from "./learned.ts";

type ReplayAnswer = AnswerOf<"GET /routing/replay">;

const DAY_MS = 86_400_000;

/** Returns what the recorded decisions would have been at a position of the dial. */
export async function replayJson(
  { dial: wanted, wallet }: {
    readonly dial?: Dial | undefined;
    readonly wallet?: string | undefined;
  },
  deps: Pick<AdminDeps, "learning" | "catalogs" | "ledger">,
): Promise<ReplayAnswer> {
  const catalog = deps.catalogs.current();
  const context = estimateContext(catalog);
  const known = await walletsIn(deps.learning.newest(), wallet, deps);
  const wallets = known.map(([, own]) => replayWallet(own, context));
  const dialInForce = catalog.auto?.dial ?? DEFAULT_DIAL;
  const dial = wanted ?? dialInForce;
  const at = (policy: ReplayPolicy) => resultJson(replayChoices(wallets, policy));
  const curve = [0, ...MEASURED_DIALS, 1].map((dial) => {
    const { costShare, quality } = at(dial);
    return { dial, costShare, quality };
  });
  return {
    wallet: wallet ?? null,
    samples: wallets.reduce((sum, { choices }) => sum + choices.length, 0),
    dial,
    dialInForce,
    targetShare: rounded(targetShare(dial)),
    tried: at(dial),
    inForce: at(dialInForce),
    best: at("best"),
    cheapest: at("cheapest"),
    curve,
  };
}

function resultJson({ samples: all, models, quality, cost, bestCost }: Replay) {
  return {
    cost: creditsJson(cost),
    costShare: shareOf(cost, bestCost),
    quality: qualityJson(quality),
    models: models.map(({ model, samples }) => ({ model, samples, share: shareOf(samples, all) })),
  };
}

/** Returns what a daily budget of audits buys, by the traffic of the last day. */
export async function auditBudgetJson(
  { credits }: { readonly credits: string },
  deps: Pick<AdminDeps, "learning" | "catalogs" | "log" | "clock">,
): Promise<AnswerOf<"GET /routing/audit-budget">> {
  const nowMs = deps.clock.nowMs();
  const { total } = await deps.log.overview({ sinceMs: nowMs - DAY_MS, untilMs: nowMs });
  const requestsPerDay = total.requests;
  const wallets = [...deps.learning.newest().wallets.values()];
  const cost = auditCostOf(wallets.map(({ statistics }) => statistics));
  const context = estimateContext(deps.catalogs.current());
  const { quality } = replayChoices(
    wallets.map((wallet) => replayWallet(wallet, context)),
    "best",
  );
  const plan = cost &&
    auditPlanOf(Number(credits), { cost: cost.credits, requestsPerDay, quality });
  const error = plan?.errorAfterWeek;
  return {
    credits: creditsJson(Number(credits)),
    auditCredits: cost === undefined ? null : creditsJson(cost.credits),
    basis: cost?.basis ?? null,
    requestsPerDay,
    auditsPerDay: plan?.auditsPerDay ?? null,
    limit: plan?.limit ?? null,
    errorAfterWeek: error === undefined ? null : rounded(error),
  };
}
