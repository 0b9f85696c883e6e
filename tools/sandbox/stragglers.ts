import { execFile } from "node:child_process";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { kill } from "./kill.ts";

const MAX_PASSES = 20;
/**
 * Number of empty scans in a row that end the search: during a fork or exec, a process has no
 * environment to scan for a moment.
 */
const EMPTY_SCANS = 2;
const PAUSE_MS = 10;
const MAX_SCAN_MS = 5_000;

/** Lists the processes whose initial environment contains a text. */
const SCAN = 'grep -lsF -- "$1" /proc/[0-9]*/environ';

/** Returns the ids of the processes with a mark in their environment. */
export type Scan = (mark: string) => Promise<readonly number[]>;

/**
 * Kills the processes that left a process group and have a mark in their environment: all
 * descendants of a command inherit it, whatever their session or parent. Ends when several scans in
 * a row find none. Linux only; a process with a replaced environment is not found.
 */
export async function killStragglers(mark: string, scan: Scan = marked): Promise<void> {
  if (process.platform !== "linux") return;
  let empty = 0;
  for (let pass = 0; pass < MAX_PASSES && empty < EMPTY_SCANS; pass++) {
    // Between two scans, a process that was missed becomes visible.
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
    // It also fails, as `grep` does, when there is none, and without `/proc`.
    execFile("/bin/sh", args, options, (_, stdout) => {
      resolve(Array.from(stdout.matchAll(/^\/proc\/(\d+)\/environ$/gm), ([, pid]) => Number(pid)));
    });
  });
}
