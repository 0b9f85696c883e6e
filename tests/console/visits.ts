import { CATALOG_VISITS } from "./catalog_scene.ts";
import type { TestService } from "../fixtures/service.ts";
import { KEY_VISITS } from "./key_visits.ts";
import { ROUTING_VISITS } from "./routing_visits.ts";
import type { Visit } from "./visit.ts";
import { SEEDED, someRequests } from "./request_seed.ts";

/** Every page of the console: add yours here. They share one service. */
export const VISITS: readonly Visit[] = [
  { name: "sign_in", path: "/sign-in", isPublic: true },
  {
    name: "overview_none",
    path: "/overview?range=own&since=2020-01-01T00:00&until=2020-01-02T00:00",
  },
  { name: "overview", path: "/overview", prepare: someRequests },
  { name: "overview_by_key", path: "/overview?by=key&range=7d" },
  { name: "overview_whole", path: "/overview?by=none&range=1h" },
  { name: "requests", path: "/requests" },
  { name: "requests_none_found", path: "/requests?q=nothing&status=4xx" },
  ...Object.entries(SEEDED).map(([name, id]) => ({
    name: `request_${name}`,
    path: `/requests/${id}`,
  })),
  ...ROUTING_VISITS,
  { name: "wallets", path: "/wallets", prepare: someWallets },
  { name: "wallets_none_found", path: "/wallets?name=nobody" },
  ...KEY_VISITS,
  { name: "requests_which_key", path: "/requests?key=site+search" },
  { name: "request_unknown", path: "/requests/not-on-record" },
  { name: "not_found", path: "/nothing-here" },
  ...CATALOG_VISITS,
];

async function someWallets(service: TestService): Promise<void> {
  const wallets = [
    ["research", "250000", "standard"],
    ["marketing-campaign-2026", "1200.5", "basic"],
    ["support", "48250.123456", "standard"],
    ["night-batch", "0.000001", "basic"],
  ] as const;
  const { tiers } = service.running.stores.catalogs.current();
  for (const [id, credits, tier] of wallets) {
    const known = tiers.some((each) => each.id === tier) ? { tier } : {};
    await service.admin("POST", "/wallets", { id, credits, ...known });
  }
}
