import { ServiceFault } from "../../domain/fault.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import type { Caller } from "../request_trace.ts";

/**
 * Does something for a caller who is sent nothing yet: `abort` is aborted where the caller leaves
 * (`left`) and where the service must end (`shutdown`). Throws `CallerDisconnected` in the one case, the
 * fault `shutting_down` in the other, where what is done says that nobody waits for it.
 */
export async function whileCallerConnected<T>(
  { inFlight }: GatewayContext,
  { signal }: Caller,
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
    throw isShutdown ? new ServiceFault("shutting_down") : error;
  } finally {
    signal.removeEventListener("abort", onLeave);
    unwatch();
  }
}
