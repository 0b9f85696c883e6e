/**
 * Loads with `wrk`, a native generator: it takes little from the processors that the measured
 * processes run on.
 *
 * @module
 */

import { join } from "@std/path";
import type { LoadRequest, LoadResult } from "../load.ts";

/** Longest wait for one answer, in seconds. */
const TIMEOUT_SECONDS = 30;

/** True where `wrk` is on PATH. */
export async function hasWrk(): Promise<boolean> {
  try {
    await new Deno.Command("wrk", { args: ["--version"], stdout: "null", stderr: "null" }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Sends requests over some connections for a time, in whole seconds of at least one. Throws where an
 * answer is missing, refused or incomplete.
 */
export async function runWrk(
  request: LoadRequest,
  amount: { readonly connections: number; readonly seconds: number; readonly folder: string },
): Promise<LoadResult> {
  const script = join(amount.folder, "wrk.lua");
  await Deno.writeTextFile(script, luaScript(request));
  const duration = `${Math.max(1, Math.round(amount.seconds))}s`;
  const flags = [
    ...["-t", "1", "-c", `${amount.connections}`, "-d", duration],
    ...["--timeout", `${TIMEOUT_SECONDS}s`, "-s", script],
  ];
  const { success, stdout, stderr } = await new Deno.Command("wrk", {
    args: [...flags, request.url],
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot load with wrk: ${decoder.decode(stderr)}`);
  return wrkResult(decoder.decode(stdout));
}

interface WrkSummary {
  readonly requests: number;
  readonly micros: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  /** Failed connections, reads, writes, time-outs, statuses, and streams without their end. */
  readonly failed: number;
}

/** Reads the line that the script prints. Throws where anything failed. */
export function wrkResult(output: string): LoadResult {
  const line = /^RESULT (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`Cannot read what wrk says: ${output}`);
  const { requests, micros, p50Micros, p99Micros, failed } = JSON.parse(line) as WrkSummary;
  if (failed > 0) throw new Error(`Cannot measure: ${failed} of ${requests} requests failed`);
  return {
    requests,
    seconds: micros / 1_000_000,
    p50Ms: p50Micros / 1_000,
    p99Ms: p99Micros / 1_000,
  };
}

/** The script: the request, a check of each stream's last event, and the summary as JSON. */
export function luaScript({ headers, body, stream }: LoadRequest): string {
  const all = { "content-type": "application/json", ...headers };
  const set = Object.entries(all).map(([name, value]) =>
    `wrk.headers[${quoted(name)}] = ${quoted(value)}`
  );
  const check = stream === true
    ? [
      "failed = 0",
      "function response(status, headers, body)",
      '  if body:sub(-14) ~= "data: [DONE]\\n\\n" then failed = failed + 1 end',
      "end",
    ]
    : [];
  return [
    'wrk.method = "POST"',
    ...set,
    `wrk.body = ${quoted(body)}`,
    ...check,
    "local threads = {}",
    "function setup(thread) table.insert(threads, thread) end",
    "function done(summary, latency)",
    "  local e = summary.errors",
    "  local bad = e.connect + e.read + e.write + e.status + e.timeout",
    '  for _, thread in ipairs(threads) do bad = bad + (thread:get("failed") or 0) end',
    "  io.write(string.format(",
    `    'RESULT {"requests":%d,"micros":%d,"p50Micros":%d,"p99Micros":%d,"failed":%d}\\n',`,
    "    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), bad))",
    "end",
    "",
  ].join("\n");
}

/** A literal of Lua: bytes other than plain ASCII are escaped by their decimal value. */
function quoted(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const escaped = Array.from(bytes, (byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\${byte.toString().padStart(3, "0")}`;
  });
  return `"${escaped.join("")}"`;
}
