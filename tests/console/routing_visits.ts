import { learnedRow, noteTraffic, TASKS } from "../../gateway/admin/routing/learned_fixture.ts";
import type { TestService } from "../fixtures/service.ts";
import type { Visit } from "./visit.ts";

const MODELS = { cheap: "svc/sim-small", better: "svc/sim-large" } as const;
const WALLETS = ["default", "lab"] as const;

/** A request whose decision rested on learned statistics. */
export const LEARNED_REQUEST = "log_learned";

/** The pages about routing, without statistics and with them. */
export const ROUTING_VISITS: readonly Visit[] = [
  { name: "routing_none", path: "/routing?wallet=lab", prepare: openLab },
  { name: "routing", path: "/routing", prepare: learnSomething },
  { name: "routing_dial", path: "/routing?dial=0.8&credits=25" },
  { name: "routing_wrong", path: "/routing?dial=7&credits=many" },
  { name: "routing_task", path: `/routing/${TASKS.summaries}` },
  { name: "request_learned", path: `/requests/${LEARNED_REQUEST}` },
];

async function openLab(service: TestService): Promise<void> {
  await service.admin("POST", "/wallets", { id: "lab", credits: "5" });
}

/** Notes traffic of two wallets and takes two snapshots. */
export async function learnSomething({ running }: TestService): Promise<void> {
  const { learning } = running;
  for (let round = 0; round < 2; round++) {
    noteTraffic(learning, { atMs: Date.now(), models: MODELS, wallets: WALLETS });
    await learning.take();
  }
  const row = learnedRow(LEARNED_REQUEST, {
    atMs: Date.now() - 60_000,
    snapshot: learning.newest().number,
    walletId: WALLETS[0],
    routing: {
      ...{ model: MODELS.cheap, provider: "simulator", tier: "standard", considered: 4 },
      ...{ reason: "Best value of 4 candidates", attempts: [] },
    },
    scores: [{ model: MODELS.cheap, score: 0.71 }, { model: MODELS.better, score: 0.42 }],
  });
  await running.stores.log.append(row);
}
