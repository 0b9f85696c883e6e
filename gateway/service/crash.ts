import type { Logger } from "../ports/logger.ts";

/**
 * Logs errors that no code has caught; the logger removes secrets, which the runtime would print. A
 * rejection in one request must not end the service for all others. An exception leaves the process
 * in an unknown state, so it ends the service.
 */
export function logCrashes(logger: Logger, exit: () => void): void {
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
