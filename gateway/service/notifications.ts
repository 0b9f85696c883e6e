import type { LowBalances } from "../flows/settle/low_balances.ts";
import { Notifier } from "../notify/notifier.ts";
import { createSend } from "../notify/send.ts";
import type { Stores } from "../ports/stores.ts";
import type { ServeSettings } from "../config/settings.ts";
import type { ServiceDeps } from "./assemble.ts";

/** Returns the notifications of a service, which work once they are started. */
export function notifierOf(
  { settings, deps, stores, lowBalances }: {
    readonly settings: Pick<ServeSettings, "store" | "notifyHosts">;
    readonly deps: Pick<ServiceDeps, "clock" | "rng" | "logger" | "noteSecret">;
    readonly stores: Stores;
    readonly lowBalances: LowBalances;
  },
): Notifier {
  const { clock, rng, logger } = deps;
  const { ledger, keys, catalogs, noticeStore: store } = stores;
  const policy = { trustedHosts: settings.notifyHosts ?? [] };
  return new Notifier({
    ...{ store, policy, clock, rng, logger },
    send: createSend({ ...policy, nowMs: () => clock.nowMs() }),
    // A store file has one process: after a restart it is the same instance.
    instance: settings.store.kind === "postgres" ? rng.id("instance") : "only",
    sources: {
      ...{ ledger, keys },
      marksOf: (wallets) => lowBalances.marksOf(wallets),
      upstreams: () => new Set(catalogs.current().upstreams.map(({ id }) => id)),
    },
  });
}
