import { assert, assertEquals } from "@std/assert";
import { EMPTY_SNAPSHOT, nextSnapshot } from "../../../domain/learning/snapshot.ts";
import { OUTCOME_SOURCES, type WalletStatistics } from "../../../domain/learning/statistics.ts";
import { storedWallet, walletOf } from "./wallet_text.ts";

const SUM = { weight: 1.25, bad: 0.5, load: 1.123457 };
const STATISTICS: WalletStatistics = {
  tasks: {
    all: {
      lastUsedMs: 7,
      bestCharged: 3.5,
      cheapestCharged: 0.25,
      models: {
        large: { served: 3, charged: 1.5, outcomes: 2, sums: { feedback: SUM, implicit: SUM } },
        small: { served: 1, charged: 0, outcomes: 0, sums: {} },
      },
    },
    none: { lastUsedMs: 6, bestCharged: 0, cheapestCharged: 0, models: {} },
  },
  samples: [{ task: "all", load: 1, price: 2, spent: 3, options: [["large", 1], ["small", 0.1]] }],
  audits: Array.from({ length: 6 }, (_, at) => ({
    task: "all",
    load: 1,
    answers: ["large", "small", "tiny"].map((model, group) => ({
      ...{ model, group: at % 2 === 0 ? 0 : group },
      cost: 1 / (1 + group),
    })),
  })),
};

Deno.test("a wallet that was stored and read is equal, also in what follows from its statistics", () => {
  const additions = new Map([["w", STATISTICS]]);
  const context = { nowMs: 9, qualityOf: () => 0.5, sources: OUTCOME_SOURCES };
  const wallet = nextSnapshot(EMPTY_SNAPSHOT, additions, context).wallets.get("w");
  assert(wallet !== undefined);
  assert(Object.keys(wallet.plans).length > 0, "the audits suffice for plans");
  const stored = storedWallet(wallet);
  assertEquals(walletOf(JSON.parse(JSON.stringify(stored))), JSON.parse(JSON.stringify(wallet)));
  const [text, plain] = [stored.tasks, STATISTICS.tasks].map((tasks) => JSON.stringify(tasks));
  assert((text?.length ?? 0) < 0.6 * (plain?.length ?? 0), "rows take less space than members");
});
