import process from "node:process";

/** Sends a signal to a process, or with a negative number to a group, should there be any. */
export function kill(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Nobody is left, or (as macOS says it) nobody who still runs: what was wanted.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
