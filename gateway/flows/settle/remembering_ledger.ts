import type { CallerMemory } from "../../ports/caller_memory.ts";
import type { RequestLedger } from "../../ports/ledger_store.ts";

/**
 * Returns a ledger whose settlements also wait until what was noted for the caller before them can be
 * read by other instances: the end of an answer waits for its settlement, and the next request may come to
 * another instance at once.
 */
export function rememberingLedger(
  ledger: RequestLedger,
  memory: Pick<CallerMemory, "written">,
): RequestLedger {
  return {
    hold: (command, options) => ledger.hold(command, options),
    progress: (command, killedRow) => ledger.progress(command, killedRow),
    settle: async (command, rows) => {
      // Side by side: neither needs the other, and both are round trips to the database.
      const [applied] = await Promise.all([ledger.settle(command, rows), memory.written()]);
      return applied;
    },
    voidHold: (command) => ledger.voidHold(command),
    wallet: (id) => ledger.wallet(id),
    keySpend: (keyId) => ledger.keySpend(keyId),
  };
}
