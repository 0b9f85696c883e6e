import type { Logger } from "../ports/logger.ts";

/**
 * What nobody has caught is told by the log, which takes secrets out; the runtime would print it as it
 * is. A rejection in one request must not end the service for all the others; an exception, after which
 * nothing can be relied on, ends it.
 */
export function tellCrashes(logger: Logger, exit: () => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    logger.error("unhandled_rejection", { cause: causeOf(event.reason) });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    logger.error("uncaught_exception", { cause: causeOf(event.error) });
    exit();
  });
}

function causeOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
}
