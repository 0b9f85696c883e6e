/**
 * Measures the waiting time of ordinary callers during an attack, and the memory that the attack leaves
 * behind. The gateway and each attacker are separate processes. Real attackers bring their own
 * machines; these run at the lowest priority, so that the figures show the load on the gateway and not
 * the work of the attackers on its processors.
 *
 * @module
 */

import { join } from "@std/path";
import { ATTACK_NAMES, READERS, STALLED_READERS } from "./attack_process.ts";
import { configuration } from "./configuration.ts";
import { type Finding, residentGrowthFinding } from "./marks.ts";
import { asTask, expectLine, residentMegabytes, type Running, start } from "./process.ts";

/** 99 of 100 well-behaved requests end sooner than this, in milliseconds. */
export const ATTACKED_P99_MS_MAX = 50;

/** Callers at once, and the pause of each between two requests, in milliseconds. */
const CALLERS = 4;
const PAUSE_MS = 10;
/** Attacks that hold on to what they have: memory must be flat meanwhile, as with stalled readers. */
const HOLDING = ["half-sent headers", "half-sent bodies"];

/** Readers have stalled when their upstream could hand on nothing for so long, in milliseconds. */
const HELD_BACK_MS = 2_000;
/** Longest that buffers on the way may take to be full, and how long memory is watched then. */
const FILLING_MS_MAX = 50_000;
const STALL_MS = 20_000;

/** Options of the attackers' processes. */
const YIELDING = { yielding: true };

/** The processes that a measurement uses. */
export interface AttackBench {
  readonly key: string;
  readonly latencySeconds: number;
  say(text: string): void;
}

/** Measures without an attack first, then during each. */
export async function attacks(bench: AttackBench): Promise<Finding[]> {
  const folder = await Deno.makeTempDir({ prefix: "svc_bench_" });
  const findings: Finding[] = [];
  const seconds = 4 * bench.latencySeconds;
  try {
    await using upstream = start("tests/bench/long_stream_process.ts");
    const config = join(folder, "svc.json");
    const upstreamUrl = await expectLine(upstream, /^http:\S+/);
    await Deno.writeTextFile(config, configuration(upstreamUrl));
    await using gateway = start("gateway/main.ts", [
      "serve",
      ...["--port", "0", "--admin-port", "0", "--config", config],
      ...["--kv-path", join(folder, "svc.kv"), "--bootstrap-key", bench.key],
    ], await asTask());
    const url = await expectLine(gateway, /^ +public +(http:\S+)/);
    const call = () => callWell(url, bench.key);
    await measure(call, seconds);
    findings.push(p99Finding("no attack", await measure(call, seconds)));
    bench.say(`${findings.at(-1)?.name}: ${findings.at(-1)?.measured}`);
    const shared = { upstreamUrl, url, key: bench.key, call, seconds };
    for (const name of ATTACK_NAMES) {
      const result = await underAttack(name, { gateway, ...shared });
      for (const finding of result) bench.say(`${finding.name}: ${finding.measured}`);
      findings.push(...result);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return findings;
}

interface Attacked {
  readonly gateway: Running;
  readonly url: string;
  readonly upstreamUrl: string;
  readonly key: string;
  readonly seconds: number;
  call(): Promise<void>;
}

async function underAttack(name: string, attacked: Attacked): Promise<Finding[]> {
  const { gateway, url, key, call, seconds } = attacked;
  // What stalled readers take beyond others is asked: the others come first.
  if (name === STALLED_READERS) await readersBefore(attacked);
  const before = await residentMegabytes(gateway.pid);
  await using attacker = start("tests/bench/attack_process.ts", [name, url, key], YIELDING);
  await expectLine(attacker, /^started$/);
  if (name === STALLED_READERS) return await whileStalled(name, before, attacked);
  const findings = [p99Finding(name, await measure(call, seconds))];
  if (HOLDING.includes(name)) {
    const during = await residentMegabytes(gateway.pid);
    findings.push(residentGrowthFinding(name, before, during));
  }
  return findings;
}

/** Memory is looked at twice: when nothing moves any more, and after a while in which nothing did. */
async function whileStalled(
  name: string,
  before: number | undefined,
  attacked: Attacked,
): Promise<Finding[]> {
  const { gateway, call, seconds } = attacked;
  await untilHeldBack(attacked);
  const stalled = await residentMegabytes(gateway.pid);
  const p99 = p99Finding(name, await measure(call, seconds));
  await pause(Math.max(0, STALL_MS - seconds * 1_000));
  const later = await residentMegabytes(gateway.pid);
  return [
    p99,
    residentGrowthFinding(`${name}, beyond as many who read`, before, stalled),
    residentGrowthFinding(`${name}, in ${STALL_MS / 1_000} s of stalling`, stalled, later),
  ];
}

async function readersBefore({ url, key }: Attacked): Promise<void> {
  await using readers = start("tests/bench/attack_process.ts", [READERS, url, key], YIELDING);
  await expectLine(readers, /^started$/);
}

/**
 * Waits until every buffer between the upstream and its readers is full, but not for so long that the
 * first of them are left for having stalled.
 */
async function untilHeldBack({ upstreamUrl }: Attacked): Promise<void> {
  const sentBytes = async () => await (await fetch(upstreamUrl)).text();
  const endMs = performance.now() + FILLING_MS_MAX;
  let before = await sentBytes();
  while (performance.now() < endMs) {
    await pause(HELD_BACK_MS);
    const now = await sentBytes();
    if (now === before) return;
    before = now;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Times of well-behaved requests, in milliseconds. */
async function measure(call: () => Promise<void>, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  const caller = async () => {
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      await call();
      times.push(performance.now() - sentMs);
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return times;
}

async function callWell(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Say hello" }] }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`A good request got ${response.status}: ${text}`);
}

function p99Finding(name: string, times: readonly number[]): Finding {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return {
    name: `p99 during ${name}`,
    measured: `${at(0.99).toFixed(1)} ms (p50 ${at(0.5).toFixed(1)}, most ${
      at(1 - 1 / sorted.length).toFixed(0)
    }, of ${sorted.length})`,
    mark: `< ${ATTACKED_P99_MS_MAX} ms`,
    met: at(0.99) < ATTACKED_P99_MS_MAX,
  };
}
