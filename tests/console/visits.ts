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
  { name: "usage", path: "/usage" },
  { name: "usage_by_tag", path: "/usage?by=tag&name=team&range=30d" },
  { name: "usage_tag_without_name", path: "/usage?by=tag" },
  ...ROUTING_VISITS,
  { name: "wallets", path: "/wallets", prepare: someWallets },
  { name: "wallets_none_found", path: "/wallets?name=nobody" },
  { name: "corrections", path: "/wallets/-/corrections", prepare: someCorrections },
  { name: "wallet_adjust", path: "/wallets/research/adjust" },
  { name: "wallet_close", path: "/wallets/research/close" },
  { name: "notifications_none", path: "/notifications" },
  { name: "notifications_new", path: "/notifications/-/new" },
  { name: "notifications", path: "/notifications", prepare: someTargets },
  ...KEY_VISITS,
  { name: "requests_which_key", path: "/requests?key=site+search" },
  { name: "request_unknown", path: "/requests/not-on-record" },
  { name: "operators_none", path: "/operators" },
  { name: "operators", path: "/operators", prepare: someOperators },
  { name: "operator_new", path: "/operators/-/new" },
  { name: "audit", path: "/audit" },
  { name: "audit_none_found", path: "/audit?who=nobody" },
  { name: "not_found", path: "/nothing-here" },
  ...CATALOG_VISITS,
];

async function someOperators(service: TestService): Promise<void> {
  for (const [name, role] of [["Kim", "support"], ["Lee", "billing"], ["Ana", "admin"]]) {
    const { id } = await service.admin("POST", "/operators", { name, role });
    await service.admin("POST", `/operators/${id}/tokens`, { name: "Laptop" });
  }
}

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

async function someCorrections(service: TestService): Promise<void> {
  const note = "Paid in twice";
  await service.admin("POST", "/wallets/research/debit", { credits: "20000", note, opId: "one" });
  await service.admin("POST", "/wallets/support/debit", { credits: "20001", note, opId: "two" });
}

async function someTargets(service: TestService): Promise<void> {
  const hook = { name: "On call", kind: "webhook", url: "https://hooks.example.com/svc" };
  await service.admin("POST", "/notify/targets", { ...hook, incidents: ["upstream_down"] });
  const mail = { host: "smtp.example.com", from: "svc@example.com", to: ["ops@example.com"] };
  await service.admin("POST", "/notify/targets", { name: "Mail", kind: "email", mail });
}
