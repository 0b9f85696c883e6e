import type { AdminApp, AdminDeps } from "./deps.ts";
import { resource } from "./resource.ts";

/** `/ledger`: the proof that the books are right. */
export function serveLedger(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/ledger/verify", {
    GET: async (context) => {
      const { entries, wallets, openHolds, problems } = await deps.verifyLedger();
      return context.json({ ok: problems.length === 0, entries, wallets, openHolds, problems });
    },
  });
}
