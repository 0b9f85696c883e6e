/** How long to wait for a grant, and what ends the waiting. */
export interface PermissionWait {
  /** Longest wait in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the call is not wanted any more. */
  readonly signal: AbortSignal;
}

/**
 * Asks the application whether a call may run. Only `true`, in time, is a grant: another value, an
 * error, silence and an abort are refusals.
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
    // Whatever went wrong in the application, it did not say yes.
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", refuse);
  }
}
