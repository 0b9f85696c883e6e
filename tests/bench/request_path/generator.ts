import type { LoadAmount, LoadRequest, LoadResult } from "../load.ts";
import { hasWrk, runWrk } from "./wrk.ts";

/** Sends requests and measures their times. */
export interface Generator {
  /** Printed with the figures: a generator that is itself slow makes ratios look better. */
  readonly name: string;
  /** Sends requests for the given seconds, or at least the given number of them. */
  run(request: LoadRequest, amount: LoadAmount): Promise<LoadResult>;
}

/** Seconds of one run of `wrk` where a number of requests is asked for. */
const STEP_SECONDS = 2;

/** Returns `wrk` where it is on PATH, else the given generator. `folder`: for the script of `wrk`. */
export async function findGenerator(own: Generator, folder: string): Promise<Generator> {
  if (!await hasWrk()) return own;
  return {
    name: "wrk",
    async run(request, { connections, seconds = Infinity, requests = Infinity }) {
      if (requests === Infinity) return await runWrk(request, { connections, seconds, folder });
      let sum: LoadResult = { requests: 0, seconds: 0, p50Ms: 0, p99Ms: 0 };
      while (sum.requests < requests && sum.seconds < seconds) {
        const one = await runWrk(request, { connections, seconds: STEP_SECONDS, folder });
        const [sent, took] = [sum.requests + one.requests, sum.seconds + one.seconds];
        sum = { ...one, requests: sent, seconds: took };
      }
      return sum;
    },
  };
}
