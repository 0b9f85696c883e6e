/** Limits of the wait for a grant. */
export interface PermissionWait {
  /** Longest wait in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the call is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Asks the application whether a call may run. Only `true`, in time, is a grant: another value, an
 * error, silence and an abort are refusals.
 *
 * @example
 * ```ts
 * import { isGranted } from "@svc/tools/sandbox";
 * import { assertEquals } from "@std/assert";
 *
 * const ask = ({ tool }: { tool: string }) => tool === "echo";
 * const wait = { timeoutMs: 1_000, signal: new AbortController().signal };
 * assertEquals(await isGranted(ask, { tool: "echo" }, wait), true);
 * assertEquals(await isGranted(ask, { tool: "remove" }, wait), false);
 * ```
 */
export async function isGranted<Request>(
  ask: (request: Request) => unknown,
  request: Request,
  { timeoutMs, signal }: PermissionWait,
): Promise<boolean> {
  if (signal.aborted) return false;
  let refuse = () => {};
  const givenUp = new Promise<false>((resolve) => refuse = () => resolve(false));
  const timer = setTimeout(refuse, timeoutMs);
  signal.addEventListener("abort", refuse);
  const answer = async () => await ask(request) === true;
  try {
    return await Promise.race([answer(), givenUp]) && !signal.aborted;
  } catch {
    // A failure of the application is no grant.
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", refuse);
  }
}
