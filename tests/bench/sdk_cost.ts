/**
 * Measures the cost of the client library beside a bare `fetch` that does the same: both send the same
 * request to the same upstream, in one process, in turn.
 *
 * @module
 */

import { ServiceClient } from "@svc/sdk";
import { median } from "./load.ts";
import type { Finding } from "./marks.ts";
import { expectLine, start } from "./process.ts";

/** Median time that the library adds to one JSON call, below. */
export const SDK_ADDED_MS_MAX = 0.3;
/** Streamed answers a second with the library over those of a bare `fetch`, at least. */
export const SDK_STREAM_RATIO_MIN = 0.85;
/** Median time that the library's import adds to the start of a process, below. */
export const SDK_IMPORT_MS_MAX = 60;

const KEY = "svc_bench_key_of_no_worth_0123456789";
const STREAMS_AT_ONCE = 8;
const IMPORTS = 15;
const REQUEST = {
  messages: [
    { role: "system", content: "You are a terse assistant that answers in one sentence." },
    { role: "user", content: "What does a gateway between applications and models do?" },
  ],
  temperature: 0.2,
  max_completion_tokens: 200,
};

/** The duration of a measurement. */
export interface SdkCostBench {
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  say(text: string): void;
}

/** One figure of both sides in one round. */
export interface SdkRound {
  readonly bare: number;
  readonly sdk: number;
}

/** Asks once, and answers with the text. */
type Ask = () => Promise<string>;

/** Measures all three marks. */
export async function sdkCost(bench: SdkCostBench): Promise<Finding[]> {
  await using upstream = start("tests/bench/upstream_process.ts");
  const url = await expectLine(upstream, /^http:\S+/);
  const client = new ServiceClient({ apiKey: KEY, apiBaseUrl: url, defaultLocalTools: false });
  const { completions } = client.chat;
  const { roundSeconds, warmUpSeconds } = bench;
  const calls = { bare: () => bareCall(url), sdk: () => sdkCall(completions) };
  const streams = { bare: () => bareStream(url), sdk: () => sdkStream(completions) };
  const times = await roundsOf("JSON call, ms", bench, {
    ...calls,
    figure: (ask, seconds = roundSeconds) => medianMs(ask, seconds),
    warmUpSeconds,
  });
  const rates = await roundsOf("streams a second", bench, {
    ...streams,
    figure: (ask, seconds = roundSeconds) => perSecond(ask, seconds),
    warmUpSeconds,
  });
  return [addedFinding(times), streamFinding(rates), importFinding(await imports(bench))];
}

/** The time that the library adds to one call. */
export function addedFinding(rounds: readonly SdkRound[]): Finding {
  const added = median(rounds.map(({ bare, sdk }) => sdk - bare));
  return {
    name: "SDK, added to a JSON call, p50",
    measured: `${added.toFixed(3)} ms`,
    mark: `< ${SDK_ADDED_MS_MAX} ms`,
    met: added < SDK_ADDED_MS_MAX,
  };
}

/** The number of streams that the library reads where a bare `fetch` reads one. */
export function streamFinding(rounds: readonly SdkRound[]): Finding {
  const ratio = median(rounds.map(({ bare, sdk }) => sdk / bare));
  return {
    name: "SDK, stream throughput, SDK / bare fetch",
    measured: ratio.toFixed(2),
    mark: `>= ${SDK_STREAM_RATIO_MIN}`,
    met: ratio >= SDK_STREAM_RATIO_MIN,
  };
}

/** The time that importing the library adds to the start of a process. */
export function importFinding(rounds: readonly SdkRound[]): Finding {
  const added = median(rounds.map(({ sdk }) => sdk)) - median(rounds.map(({ bare }) => bare));
  return {
    name: "SDK, cold import",
    measured: `${added.toFixed(0)} ms`,
    mark: `< ${SDK_IMPORT_MS_MAX} ms`,
    met: added < SDK_IMPORT_MS_MAX,
  };
}

interface Sides {
  readonly bare: Ask;
  readonly sdk: Ask;
  readonly warmUpSeconds: number;
  figure(ask: Ask, seconds?: number): Promise<number>;
}

/** Short rounds of either side in turn, so that whatever else the machine does falls on both. */
async function roundsOf(
  name: string,
  { rounds, say }: SdkCostBench,
  { bare, sdk, figure, warmUpSeconds }: Sides,
): Promise<SdkRound[]> {
  if (await bare() !== await sdk()) {
    throw new Error("Cannot compare sides that read different text");
  }
  for (const ask of [bare, sdk]) await figure(ask, warmUpSeconds / 2);
  const measured: SdkRound[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.push({ bare: await figure(bare), sdk: await figure(sdk) });
    const shown = [measured.at(-1)?.sdk, measured.at(-1)?.bare].map((value) => value?.toFixed(3));
    say(`SDK, ${name}, round ${round} of ${rounds}: ${shown.join(" / ")}`);
  }
  return measured;
}

/** Median time of one call at a time. */
async function medianMs(ask: Ask, seconds: number): Promise<number> {
  const times: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    await ask();
    times.push(performance.now() - startMs);
  }
  return median(times);
}

/** Answers a second, some at a time. */
async function perSecond(ask: Ask, seconds: number): Promise<number> {
  let answers = 0;
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, async () => {
    while (performance.now() < endMs) {
      await ask();
      answers++;
    }
  }));
  return answers * 1_000 / (performance.now() - startMs);
}

function bareFetch(url: string, stream: boolean): Promise<Response> {
  return fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ ...REQUEST, model: "auto", stream }),
  });
}

async function bareCall(url: string): Promise<string> {
  const { choices } = await (await bareFetch(url, false)).json();
  return choices[0].message.content;
}

/** The least that reads a text from a stream: lines, JSON, a concatenation. */
async function bareStream(url: string): Promise<string> {
  const { body } = await bareFetch(url, true);
  const decoder = new TextDecoder();
  let text = "";
  let pending = "";
  for await (const bytes of body ?? new Blob().stream()) {
    const lines = (pending + decoder.decode(bytes, { stream: true })).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      text += JSON.parse(line.slice(6)).choices[0]?.delta.content ?? "";
    }
  }
  return text;
}

type Completions = ServiceClient["chat"]["completions"];

async function sdkCall(completions: Completions): Promise<string> {
  const { choices } = await completions.create(REQUEST);
  return String(choices[0]?.message.content);
}

async function sdkStream(completions: Completions): Promise<string> {
  let text = "";
  for await (const { choices } of completions.stream(REQUEST)) {
    text += choices[0]?.delta.content ?? "";
  }
  return text;
}

/** Starts of processes that import the library, and of ones that do not. */
async function imports({ say }: SdkCostBench): Promise<SdkRound[]> {
  const measured: SdkRound[] = [];
  for (let round = 0; round < IMPORTS; round++) {
    measured.push({
      bare: await startMs("data:text/javascript,"),
      sdk: await startMs(new URL("import_sdk_process.ts", import.meta.url).href),
    });
  }
  const shown = ([side]: ["sdk" | "bare"]) => median(measured.map((row) => row[side])).toFixed(0);
  say(`SDK, start with import / without: ${shown(["sdk"])} / ${shown(["bare"])} ms`);
  return measured;
}

async function startMs(program: string): Promise<number> {
  const startedMs = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", program],
    cwd: new URL("../../", import.meta.url),
  }).output();
  if (!success) throw new Error(`Cannot measure the start of ${program}: it failed`);
  return performance.now() - startedMs;
}
