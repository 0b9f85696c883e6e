/**
 * Measures the memory that a long stream adds to the gateway, while it is read and just after, in a
 * separate gateway: memory that another load has left behind would hide it.
 *
 * @module
 */

import { join } from "@std/path";
import { configuration } from "./configuration.ts";
import type { LongStream } from "./long_stream_process.ts";
import type { Finding } from "./marks.ts";
import { asTask, expectLine, residentMegabytes, type Running, start } from "./process.ts";

/** Megabytes that one long stream adds, below. */
export const STREAM_ADDED_MB_MAX = 40;

const MEGABYTES = 100;
/** All text of a translated response is said again at its end, so it is bounded there. */
const RESPONSE_TEXT_MEGABYTES = 3;
const WARM_UP_MEGABYTES = 2;
/** More than the longest stream has: a gateway ends a stream that its hold does not pay for. */
const MAX_OUTPUT_TOKENS = 100_000_000;
/** Sizes of events: a word each, and what a model sends that writes in bulk. */
const EVENT_BYTES = { small: 200, large: 16 * 1024 };
const SAMPLE_MS = 200;
const AFTER_MS = 1_000;

/** `native`: a response by an upstream that speaks Responses itself. */
const ROUTES = ["chat", "responses", "native"] as const;
type ResponseRoute = typeof ROUTES[number];

/** The processes that a measurement uses. */
export interface StreamMemoryBench {
  readonly key: string;
  say(text: string): void;
}

/** Megabytes that a stream added at its most, and just after. */
export interface Added {
  readonly reading: number;
  readonly after: number;
}

/** Measures every route and size, each with a gateway of its own. */
export async function streamMemory(bench: StreamMemoryBench): Promise<Finding[]> {
  const findings: Finding[] = [];
  const folder = await Deno.makeTempDir({ prefix: "svc_bench_" });
  try {
    await using upstream = start("tests/bench/long_stream_process.ts");
    const upstreamUrl = await expectLine(upstream, /^http:\S+/);
    for (const [size, eventBytes] of Object.entries(EVENT_BYTES)) {
      for (const route of ROUTES) {
        const config = join(folder, `${route}.json`);
        const kind = route === "native" ? "openai" : "openai-compatible";
        await Deno.writeTextFile(
          config,
          configuration(upstreamUrl, kind, { maxOutputTokens: MAX_OUTPUT_TOKENS }),
        );
        await using gateway = start("gateway/main.ts", [
          "serve",
          ...["--port", "0", "--admin-port", "0", "--config", config],
          ...["--kv-path", join(folder, `${size}_${route}.kv`), "--bootstrap-key", bench.key],
        ], await asTask());
        const gatewayUrl = await expectLine(gateway, /^ +public +(http:\S+)/);
        const reader = { gateway, gatewayUrl, key: bench.key, route };
        await read(reader, { eventBytes, megabytes: WARM_UP_MEGABYTES });
        const isText = route === "responses" && size === "large";
        const megabytes = isText ? RESPONSE_TEXT_MEGABYTES : MEGABYTES;
        const added = await read(reader, { eventBytes, megabytes });
        const finding = addedFinding(
          `a stream of ${megabytes} MB, ${route}, ${size} events`,
          added,
        );
        bench.say(`${finding.name}: ${finding.measured}`);
        findings.push(finding);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return findings;
}

/** Checks that a long stream does not raise memory. */
export function addedFinding(name: string, added: Added | undefined): Finding {
  return {
    name,
    measured: added === undefined
      ? "SKIPPED: not shown by this system"
      : `${added.reading.toFixed(0)} MB more (just after: ${added.after.toFixed(0)})`,
    mark: `< ${STREAM_ADDED_MB_MAX} MB`,
    met: added && Math.max(added.reading, added.after) < STREAM_ADDED_MB_MAX,
  };
}

interface Reader {
  readonly gateway: Running;
  readonly gatewayUrl: string;
  readonly key: string;
  readonly route: ResponseRoute;
}

/** Reads one stream to its end; `undefined` where the system does not show memory. */
async function read(reader: Reader, request: LongStream): Promise<Added | undefined> {
  const { gateway: { pid }, gatewayUrl, key, route } = reader;
  const before = await residentMegabytes(pid);
  const content = JSON.stringify(request);
  const [path, body] = route === "chat"
    ? ["chat/completions", { messages: [{ role: "user", content }] }]
    : ["responses", { input: content, store: false }];
  const answer = await fetch(`${gatewayUrl}/openai/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", stream: true, ...body }),
  });
  if (!answer.ok || answer.body === null) {
    throw new Error(`Cannot read a long stream: ${answer.status} ${await answer.text()}`);
  }
  let bytes = 0;
  let largest = 0;
  let sampledMs = performance.now();
  for await (const piece of answer.body) {
    bytes += piece.length;
    if (performance.now() - sampledMs < SAMPLE_MS) continue;
    largest = Math.max(largest, await residentMegabytes(pid) ?? 0);
    sampledMs = performance.now();
  }
  // What stands around the text may be written shorter.
  if (bytes < 0.8 * request.megabytes * 1e6) {
    throw new Error(`A long stream ended after ${bytes} bytes`);
  }
  const atEnd = await residentMegabytes(pid) ?? 0;
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  const after = await residentMegabytes(pid);
  if (before === undefined || after === undefined) return undefined;
  return { reading: Math.max(largest, atEnd) - before, after: after - before };
}
