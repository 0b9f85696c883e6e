/**
 * A client of the gateway in a separate process, which continues when the gateway dies. Each line
 * of standard input names a worker and its key from then on; each line of standard output is the
 * result of one call. It ends with its standard input, once the calls in flight have ended.
 *
 * @module
 */

import { TextLineStream } from "@std/streams";
import { Random } from "../simulation/random.ts";
import { type CallPlan, type CallSite, makeCall, type Sighting } from "./calls.ts";
import { pipelinedCalls } from "./pipelined_calls.ts";

/** One line of input. */
export interface WorkerKey {
  readonly worker: string;
  /** Name and secret of the key; request ids begin with the name. */
  readonly key: string;
  readonly secret: string;
  /** True when it sends several requests over one connection before it reads an answer. */
  readonly pipelines: boolean;
  /** True when it does so once and ends. */
  readonly once?: boolean | undefined;
}

/** Pause of a worker after a refusal, in milliseconds, so that others run. */
const REST_MS = 50;
/** Number of requests that are sent at once over one connection. */
const PIPELINED = 3;

const encoder = new TextEncoder();

function report(sighting: Sighting): void {
  Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(sighting)}\n`));
}

function planOf(random: Random): CallPlan {
  const reports = random.chance(0.7);
  const gapMs = random.below(5);
  const brief = { words: 1 + random.below(40), gapMs, reports };
  const endpoint = random.chance(0.5) ? "chat" : "responses";
  const usual = { endpoint, stream: true, leave: false } as const;
  const kind = random.next();
  if (kind < 0.1) return { ...usual, endpoint: "images", stream: false, script: brief };
  if (kind < 0.12) return { ...usual, script: { ...brief, words: 0 } };
  if (kind < 0.3) return { ...usual, endpoint: "chat", stream: false, script: brief };
  if (kind < 0.45) return { ...usual, leave: true, script: { ...brief, words: 60 } };
  if (kind < 0.6) {
    return {
      ...usual,
      script: { words: 500 + random.below(1_000), gapMs: 2 + random.below(2), reports },
    };
  }
  return { ...usual, script: brief };
}

class Worker {
  readonly #url: string;
  readonly #random: Random;
  #key: WorkerKey;
  #calls = 0;
  #isOver = false;
  readonly ended: Promise<void>;

  constructor(url: string, random: Random, key: WorkerKey) {
    this.#url = url;
    this.#random = random;
    this.#key = key;
    this.ended = this.#work();
  }

  use(key: WorkerKey): void {
    this.#key = key;
  }

  stop(): void {
    this.#isOver = true;
  }

  async #work(): Promise<void> {
    for (let isFirst = true; isFirst || !this.#isOver; isFirst = false) {
      this.#isOver ||= this.#key.once === true;
      const sightings = await (this.#key.pipelines ? this.#several() : this.#one());
      sightings.forEach(report);
      if (sightings.some(({ ending }) => ending === "refused" || ending === "answered")) {
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    }
  }

  async #one(): Promise<Sighting[]> {
    return [await makeCall(planOf(this.#random), this.#site())];
  }

  async #several(): Promise<Sighting[]> {
    const script = { words: 1 + this.#random.below(20), gapMs: 1, reports: true };
    const plan = { endpoint: "chat", stream: false, leave: false, script } as const;
    return await pipelinedCalls(plan, Array.from({ length: PIPELINED }, () => this.#site()));
  }

  #site(): CallSite {
    const { worker, key, secret } = this.#key;
    const requestId = `${key}/${worker}/${this.#calls++}`;
    return { url: this.#url, secret, requestId };
  }
}

if (import.meta.main) {
  const [url = "", seed = "1"] = Deno.args;
  const random = new Random(Number(seed));
  const workers = new Map<string, Worker>();
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  for await (const line of lines) {
    const key: WorkerKey = JSON.parse(line);
    const worker = workers.get(key.worker);
    if (worker === undefined) workers.set(key.worker, new Worker(url, random, key));
    else worker.use(key);
  }
  for (const worker of workers.values()) worker.stop();
  await Promise.all([...workers.values()].map(({ ended }) => ended));
}
