import type { InFlight } from "../admit/in_flight.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";

/**
 * Runs `act` for a caller that has been sent nothing: `abort` is aborted when the caller
 * disconnects (`left`) and when the service stops (`shutdown`). If `act` throws
 * `CallerDisconnected`, it is thrown in the first case; in the second, the fault `shutting_down` is
 * thrown instead.
 */
export async function whileCallerConnected<T>(
  { inFlight }: { readonly inFlight: Pick<InFlight, "watch" | "endFault"> },
  signal: AbortSignal,
  abort: AbortController,
  act: () => Promise<T>,
): Promise<T> {
  const unwatch = inFlight.watch(abort);
  const onLeave = () => abort.abort("left");
  signal.addEventListener("abort", onLeave, { once: true });
  if (signal.aborted) onLeave();
  try {
    return await act();
  } catch (error) {
    const isShutdown = error instanceof CallerDisconnected && abort.signal.reason === "shutdown";
    throw isShutdown ? inFlight.endFault() : error;
  } finally {
    signal.removeEventListener("abort", onLeave);
    unwatch();
  }
}
