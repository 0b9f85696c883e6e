/**
 * The dial, tried on recorded traffic: which models the samples of a wallet would have had, with
 * which expected quality and at which cost.
 *
 * @module
 */

import { type Dial, rateOf } from "../routing/dial.ts";
import { isGoodEnough, NOT_GOOD_ENOUGH, valueOf } from "../routing/value.ts";
import { highest } from "./best_known.ts";
import { expectedQuality, type Quality, type QualityPart } from "./expected_quality.ts";
import {
  type EstimateContext,
  type RecordedChoice,
  recordedChoices,
  type RecordedOption,
  VERIFIED,
} from "./measured_rates.ts";
import type { WalletSnapshot } from "./snapshot.ts";

/** One way to choose among the models of samples. */
export type ReplayPolicy = Dial | "best" | "cheapest";

/** The result of a replay. */
export interface Replay {
  /** Number of samples. */
  readonly samples: number;
  /** Samples by model, most first. */
  readonly models: readonly { readonly model: string; readonly samples: number }[];
  /** Absent without samples. */
  readonly quality: Quality | undefined;
  /** Credits. */
  readonly cost: number;
  /** Credits at the best allowed models. */
  readonly bestCost: number;
}

/** The choices of a wallet, and the rates that it measured. */
export interface ReplayWallet {
  readonly choices: readonly RecordedChoice[];
  readonly rates: readonly number[] | undefined;
}

/** Returns the choices of a wallet's samples, for {@linkcode replayChoices}. */
export function replayWallet(
  { statistics, totals, rates, plans }: WalletSnapshot,
  context: EstimateContext,
): ReplayWallet {
  return { choices: recordedChoices(statistics, totals, { ...context, plans }), rates };
}

/**
 * Returns what the samples of wallets would have had by a policy. Latencies are not recorded and
 * count as equal; exploration and conversations are left out. Plans of verified answers count where
 * their record is proven and the request allowed them.
 */
export function replayChoices(wallets: readonly ReplayWallet[], policy: ReplayPolicy): Replay {
  const parts: QualityPart[] = [];
  let [cost, bestCost] = [0, 0];
  for (const { choices, rates } of wallets) {
    for (const choice of choices) {
      const chosen = chosenBy(choice, policy, rates);
      const { model, p, error } = chosen;
      parts.push({ model, weight: 1, p, error });
      cost += chosen.price;
      bestCost += choice.best.price;
    }
  }
  const byModel = [...Map.groupBy(parts, ({ model }) => model)];
  const models = byModel.map(([model, own]) => ({ model, samples: own.length }))
    .sort((one, other) => other.samples - one.samples || (one.model < other.model ? -1 : 1));
  return { samples: parts.length, models, quality: expectedQuality(parts), cost, bestCost };
}

function chosenBy(
  { options, best }: RecordedChoice,
  policy: ReplayPolicy,
  rates: readonly number[] | undefined,
): RecordedOption {
  if (policy === "best") return best;
  const models = options.filter(({ model }) => model !== VERIFIED);
  if (policy === "cheapest") return highest(models, ({ price }) => -price) ?? best;
  const qualities = models.map(({ quality }) => quality);
  const spread = Math.max(...qualities) - Math.min(...qualities);
  const rate = rateOf(policy, { spread, measured: rates });
  // Of plans, economy asks for none: it takes the cheapest model that is good enough.
  const compared = policy === 0 ? models : options;
  const bestP = Math.max(...models.map(({ p }) => p));
  const valueAt = (option: RecordedOption) =>
    policy === 0 && !isGoodEnough(option, bestP)
      ? NOT_GOOD_ENOUGH + option.p
      : valueOf({ p: option.p, share: rate === Infinity ? option.share : option.cost }, {
        dial: policy,
        rate,
      });
  return highest(compared, valueAt) ?? best;
}
