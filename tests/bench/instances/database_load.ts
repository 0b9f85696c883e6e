/**
 * Processor time of the processes of a measurement: gateways, and the server with its children.
 *
 * @module
 */

import { TICKS_PER_SECOND } from "../process.ts";

/** Processor seconds of some processes and of one server. */
export interface ProcessorTime {
  readonly gateways: number;
  readonly server: number;
}

/**
 * Reads the processor time of gateways, and of a PostgreSQL server with all of its processes, those
 * that have ended as well. `NaN` where the system does not show it.
 */
export async function processorTime(
  pids: readonly number[],
  serverPid: number,
): Promise<ProcessorTime> {
  if (Deno.build.os !== "linux") return { gateways: NaN, server: NaN };
  // A process may end between the listing and its reading.
  const command = new Deno.Command("sh", {
    args: ["-c", "cat /proc/[0-9]*/stat 2>/dev/null || true"],
  });
  const { stdout } = await command.output();
  let [gateways, server] = [0, 0];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const [pid, parent, own, children] = timesOf(line);
    if (pids.includes(pid)) gateways += own;
    if (pid === serverPid) server += own + children;
    else if (parent === serverPid) server += own;
  }
  return { gateways, server };
}

/** Of one line: the process, its parent, its seconds, and those of its children that have ended. */
export function timesOf(line: string): readonly [number, number, number, number] {
  // Its name may have spaces and brackets; what follows is counted from the third field on.
  const behind = line.slice(line.lastIndexOf(") ") + 2).split(" ").map(Number);
  const seconds = (at: number) => ((behind[at] ?? 0) + (behind[at + 1] ?? 0)) / TICKS_PER_SECOND;
  return [Number.parseInt(line), behind[1] ?? 0, seconds(11), seconds(13)];
}
