/**
 * Measures the cost of translating a chat answer into a response: the same gateway in front of the same
 * upstream, called with the same question by Chat Completions, which passes through, and by Responses.
 *
 * @module
 */

import { type LoadAmount, type LoadRequest, type LoadResult, median } from "./load.ts";
import type { Finding } from "./marks.ts";

/** Median time that the translation of a short answer adds at one connection, below. */
export const TRANSLATION_ADDED_MS_MAX = 0.5;
/** Throughput of translated streams over those that pass through, at least. */
export const TRANSLATED_STREAM_RATIO_MIN = 0.7;
/** The same where the response is kept, as it is unless a caller says otherwise: beyond a commit. */
export const KEPT_ADDED_MS_MAX = 1;
/** The same of throughput: three durable commits for a stream instead of two. */
export const KEPT_STREAM_RATIO_MIN = 0.5;

const CONNECTIONS = 32;
const INSTRUCTIONS = "You are a terse assistant that answers in one sentence.";
const QUESTION = "What does a gateway between applications and models do?";

/** The processes that a measurement uses. */
export interface TranslationBench {
  readonly gatewayUrl: string;
  readonly key: string;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly latencySeconds: number;
  readonly warmUpSeconds: number;
  load(request: LoadRequest, amount: LoadAmount): Promise<LoadResult>;
  /** Median time of one durable commit on this disk. */
  commitMs(seconds: number): Promise<number>;
  say(text: string): void;
}

/** Figures of the two routes, and of the translated one where responses are kept too. */
interface Round {
  readonly passed: number;
  readonly translated: number;
  readonly kept: number;
}

/** Results at one connection, and the time of a commit meanwhile. */
interface TimedRound extends Round {
  readonly commitMs: number;
}

/** Measures all four marks. */
export async function translation(bench: TranslationBench): Promise<Finding[]> {
  const { warmUpSeconds, rounds, roundSeconds, latencySeconds } = bench;
  const warm = { connections: CONNECTIONS, seconds: warmUpSeconds / 3 };
  for (const stream of [false, true]) {
    for (const request of requestsOf(bench, stream)) await bench.load(request, warm);
  }
  const times: TimedRound[] = [];
  const rates: Round[] = [];
  for (let at = 1; at <= rounds; at++) {
    const amount = { connections: 1, seconds: latencySeconds };
    const timed = await round(bench, { stream: false, amount, figure: ({ p50Ms }) => p50Ms });
    times.push({ ...timed, commitMs: await bench.commitMs(latencySeconds / 2) });
    const many = { connections: CONNECTIONS, seconds: roundSeconds / 2 };
    const figure = ({ requests, seconds }: LoadResult) => requests / seconds;
    rates.push(await round(bench, { stream: true, amount: many, figure }));
    bench.say(
      `responses, round ${at} of ${rounds}: ${shown(times, 3)} ms, ${shown(rates, 0)} a second`,
    );
  }
  return [addedFinding(times), keptFinding(times), ...streamFindings(rates)];
}

/** The time that the translation adds to a short answer. */
export function addedFinding(rounds: readonly Round[]): Finding {
  const added = median(rounds.map(({ passed, translated }) => translated - passed));
  return {
    name: "Responses over Chat, added p50",
    measured: `${added.toFixed(2)} ms`,
    mark: `< ${TRANSLATION_ADDED_MS_MAX} ms`,
    met: added < TRANSLATION_ADDED_MS_MAX,
  };
}

/** The time that translating and storing a short answer add, beyond the commit that stores it. */
export function keptFinding(rounds: readonly TimedRound[]): Finding {
  const added = median(rounds.map(({ passed, kept }) => kept - passed));
  const commit = median(rounds.map(({ commitMs }) => commitMs));
  const beyond = added - commit;
  return {
    name: "the same, kept, beyond one commit",
    measured: `${beyond.toFixed(2)} ms (${added.toFixed(2)} - ${commit.toFixed(2)})`,
    mark: `< ${KEPT_ADDED_MS_MAX} ms`,
    met: beyond < KEPT_ADDED_MS_MAX,
  };
}

/** The part of a stream's throughput that is left with translation, and with storage as well. */
export function streamFindings(rounds: readonly Round[]): Finding[] {
  const finding = (name: string, figure: (round: Round) => number, least: number): Finding => {
    const ratio = median(rounds.map((round) => figure(round) / round.passed));
    return { name, measured: ratio.toFixed(2), mark: `>= ${least}`, met: ratio >= least };
  };
  return [
    finding(
      "stream throughput, Responses / Chat",
      ({ translated }) => translated,
      TRANSLATED_STREAM_RATIO_MIN,
    ),
    finding("the same, kept", ({ kept }) => kept, KEPT_STREAM_RATIO_MIN),
  ];
}

async function round(
  bench: TranslationBench,
  measure: {
    readonly stream: boolean;
    readonly amount: LoadAmount;
    readonly figure: (result: LoadResult) => number;
  },
): Promise<Round> {
  const { stream, amount, figure } = measure;
  const [chat, translated, kept] = requestsOf(bench, stream);
  return {
    passed: figure(await bench.load(chat, amount)),
    translated: figure(await bench.load(translated, amount)),
    kept: figure(await bench.load(kept, amount)),
  };
}

/** By Chat Completions, by Responses, and by Responses with the answer kept. */
function requestsOf(
  { gatewayUrl, key }: TranslationBench,
  stream: boolean,
): [LoadRequest, LoadRequest, LoadRequest] {
  const options = { model: "auto", temperature: 0.2, ...(stream ? { stream } : {}) };
  const request = (path: string, form: LoadRequest["stream"], body: unknown): LoadRequest => ({
    url: `${gatewayUrl}/openai/v1${path}`,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    stream: form,
  });
  const form = stream ? "responses" : false;
  const question = { instructions: INSTRUCTIONS, input: QUESTION, max_output_tokens: 200 };
  return [
    request("/chat/completions", stream, {
      ...options,
      messages: [{ role: "system", content: INSTRUCTIONS }, { role: "user", content: QUESTION }],
      max_completion_tokens: 200,
    }),
    request("/responses", form, { ...options, ...question, store: false }),
    request("/responses", form, { ...options, ...question }),
  ];
}

function shown(rounds: readonly Round[], digits: number): string {
  const { passed = NaN, translated = NaN, kept = NaN } = rounds.at(-1) ?? {};
  return [passed, translated, kept].map((figure) => figure.toFixed(digits)).join(" / ");
}
