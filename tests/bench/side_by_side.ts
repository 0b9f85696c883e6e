/**
 * Gateways under one load, in short rounds in turn: each beside the first.
 *
 * @module
 */

import type { LoadAmount, LoadRequest, LoadResult } from "./load.ts";
import { besideFindings, type BesideMarks, type Finding } from "./marks.ts";
import { processorSeconds } from "./process.ts";

const CONNECTIONS = 32;
/** Short rounds, and many: what else the machine does falls on neighbours alike. */
const ROUND_SECONDS = 0.5;

/** The duration of a measurement, and its load. */
export interface SideBySide {
  /** Together with `roundSeconds` how long each gateway is measured. */
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  readonly requestTo: (url: string) => LoadRequest;
  readonly load: (request: LoadRequest, amount: LoadAmount) => Promise<LoadResult>;
  readonly say: (text: string) => void;
}

/** A measured gateway. */
export interface Side {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Sent with every request. @default {none} */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that the body of every request has besides. @default {none} */
  readonly members?: Readonly<Record<string, unknown>>;
  /** @default {none} */
  readonly marks?: BesideMarks;
}

/** Measures all gateways; returns what each is beside the first. */
export async function sideBySide(
  what: string,
  sides: readonly Side[],
  options: SideBySide,
): Promise<Finding[]> {
  const { warmUpSeconds, say } = options;
  const rounds = Math.ceil(options.rounds * options.roundSeconds / ROUND_SECONDS);
  for (const side of sides) await measure(options, side, warmUpSeconds);
  const measured: Measured[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, side] of sides.entries()) {
      measured[at]?.push(await measure(options, side, ROUND_SECONDS));
    }
    const shown = measured.map((side) => side.at(-1)).map((it) =>
      `${it?.rate.toFixed(0)} (${(it?.cost ?? NaN).toFixed(0)} us, p99 ${it?.p99Ms.toFixed(1)} ms)`
    );
    say(`${what} round ${round + 1} of ${rounds}: ${shown.join(", ")} a second`);
  }
  const [first] = sides;
  return sides.flatMap(({ name, marks = {} }, at) => {
    if (first === undefined || at === 0) return [];
    const ratios = (read: (one: Measured) => number | undefined) =>
      (measured[at] ?? []).flatMap((one, round) => {
        const [here, there] = [read(one), read(measured[0]?.[round] ?? one)];
        return here === undefined || there === undefined ? [] : [here / there];
      });
    return besideFindings({
      ...{ name, beside: first.name, marks },
      ...{ rates: ratios(({ rate }) => rate), costs: ratios(({ cost }) => cost) },
      ...{ p50s: ratios(({ p50Ms }) => p50Ms), p99s: ratios(({ p99Ms }) => p99Ms) },
    });
  });
}

interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Processor time a request, in microseconds. */
  readonly cost: number | undefined;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(
  { load, requestTo }: SideBySide,
  { url, pid, headers = {}, members = {} }: Side,
  seconds: number,
): Promise<Measured> {
  const before = await processorSeconds(pid);
  const plain = requestTo(url);
  const request = {
    ...plain,
    headers: { ...plain.headers, ...headers },
    body: JSON.stringify({ ...JSON.parse(plain.body), ...members }),
  };
  const result = await load(request, { connections: CONNECTIONS, seconds });
  const after = await processorSeconds(pid);
  const cost = before === undefined || after === undefined
    ? undefined
    : (after - before) * 1_000_000 / result.requests;
  const { p50Ms, p99Ms } = result;
  return { rate: result.requests / result.seconds, cost, p50Ms, p99Ms };
}
