import process from "node:process";

/**
 * Sends a signal to a process, or with a negative number to a group; does nothing when it is gone.
 */
export function kill(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // No such process exists, or (as macOS reports it) none that still runs.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
