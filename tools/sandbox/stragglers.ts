import { execFile } from "node:child_process";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { kill } from "./kill.ts";

const MAX_PASSES = 20;
/** A process that is just being forked or replaced has no environment to scan for a moment. */
const EMPTY_SCANS = 2;
const PAUSE_MS = 10;
const MAX_SCAN_MS = 5_000;

/** The processes whose environment, as they were started with it, has a text. */
const SCAN = 'grep -lsF -- "$1" /proc/[0-9]*/environ';

/** The processes that have a mark in their environment. */
export type Scan = (mark: string) => Promise<readonly number[]>;

/**
 * Kills the processes that left a process group and that have a mark in their environment: it stays
 * with all that a command starts, a session or a parent does not. Ends when several scans in a row
 * find none. Linux only; a process that was given another environment is not found.
 */
export async function killStragglers(mark: string, scan: Scan = marked): Promise<void> {
  if (process.platform !== "linux") return;
  let empty = 0;
  for (let pass = 0; pass < MAX_PASSES && empty < EMPTY_SCANS; pass++) {
    // Between two scans, a process that was missed becomes one that can be seen.
    if (pass > 0) await delay(PAUSE_MS);
    const pids = await scan(mark);
    empty = pids.length === 0 ? empty + 1 : 0;
    for (const pid of pids) kill(pid, "SIGKILL");
  }
}

function marked(mark: string): Promise<number[]> {
  return new Promise((resolve) => {
    const args = ["-c", SCAN, "sh", mark];
    const options = { env: { PATH: "/usr/bin:/bin" }, timeout: MAX_SCAN_MS };
    // It also fails, as `grep` does, where there is none, and where there is no `/proc`.
    execFile("/bin/sh", args, options, (_, found) => {
      resolve(Array.from(found.matchAll(/^\/proc\/(\d+)\/environ$/gm), ([, pid]) => Number(pid)));
    });
  });
}
