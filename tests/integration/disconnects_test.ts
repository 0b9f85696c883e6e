/**
 * Clients that leave at random moments, over real sockets: what the upstream notices, and what is
 * billed.
 *
 * "Delivered" is what the gateway has handed to its server, for the client's socket, before it was
 * told that the client has left. A client sees at most that, since what was on its way when it left is
 * lost; the upstream has written at least that.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import type { RequestRecord } from "../../gateway/ports/request_log.ts";
import { INPUT_MICROS, labConfig, OUTPUT_MICROS } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../fixtures/service.ts";
import {
  WORDS_INPUT,
  type WordsCall,
  type WordsPlan,
  WordsUpstream,
} from "../fixtures/words_upstream.ts";

/** `DISCONNECT_ROUNDS=1000` is the long run: it takes a minute or two, and prints what it met. */
const ROUNDS = Number(Deno.env.get("DISCONNECT_ROUNDS") ?? 200);
const CLIENTS = 4;
const WORDS_MAX = 40;
/** Only a hang takes so long. */
const NOTICED_MAX_MS = 60_000;

/** A generator of its own, so that a failing run can be run again. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Behaviour of one client that disconnects. */
interface Leaving {
  readonly message: string;
  readonly plan: WordsPlan;
  /** After so many words; `undefined`: without waiting for the head. */
  readonly afterWords: number | undefined;
  /** Time that it stays beyond that, in milliseconds. */
  readonly staysMs: number;
  /** It says that it will send no more, and reads on what there is. */
  readonly readsOn: boolean;
}

function leavings(seed: number): Leaving[] {
  const random = randomOf(seed);
  return Array.from({ length: ROUNDS }, (_, at): Leaving => {
    const words = 1 + random(WORDS_MAX);
    return {
      // Up to three digits are one token.
      message: String(at % 1_000),
      plan: { words, headMs: random(15), wordMs: random(4) },
      afterWords: random(5) === 0 ? undefined : random(words + 1),
      staysMs: random(3) === 0 ? random(12) : 0,
      readsOn: random(3) === 0,
    };
  });
}

/** Observations of one client. */
interface Seen {
  /** Words that came. */
  readonly words: number;
  /** The whole answer came. */
  readonly whole: boolean;
  /** When it left, by `performance.now()`. */
  readonly leftAtMs: number;
}

async function leave(
  service: TestService,
  leaving: Leaving,
  asks: Storming["asks"] = {},
): Promise<Seen> {
  const { port } = new URL(service.running.publicUrl);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const messages = [{ role: "user", content: leaving.message }];
  const body = JSON.stringify({ model: "auto", stream: true, messages, ...asks });
  const head = [
    "POST /openai/v1/chat/completions HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${BOOTSTRAP_KEY}`,
    `X-Request-ID: call-${leaving.message}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(16_384);
  let text = "";
  const more = async () => {
    const count = await connection.read(buffer).catch(() => null);
    if (count !== null) text += decoder.decode(buffer.subarray(0, count));
    return count !== null;
  };
  const { afterWords, readsOn, staysMs } = leaving;
  if (afterWords !== undefined) {
    while (!text.includes("data:") || countWords(text) < afterWords) if (!await more()) break;
  }
  if (staysMs > 0) await new Promise((resolve) => setTimeout(resolve, staysMs));
  const leftAtMs = performance.now();
  if (readsOn) {
    await connection.closeWrite();
    while (!text.includes("data: [DONE]") && await more());
  }
  connection.close();
  return { words: countWords(text), whole: text.includes("data: [DONE]"), leftAtMs };
}

/**
 * Counts the words that are handed to the server, by call: streams of the service are the only ones
 * here that are filled by hand.
 */
class Handed implements Disposable {
  readonly words = new Map<string, number>();
  readonly #own = ReadableStreamDefaultController.prototype.enqueue;

  constructor() {
    const { words } = this;
    const enqueue = this.#own;
    const decoder = new TextDecoder();
    ReadableStreamDefaultController.prototype.enqueue = function (piece) {
      const text = piece instanceof Uint8Array ? decoder.decode(piece) : "";
      const call = /"id":"chatcmpl-(\d+)"/.exec(text)?.[1];
      if (call !== undefined) words.set(call, (words.get(call) ?? 0) + countWords(text));
      enqueue.call(this, piece);
    };
  }

  [Symbol.dispose](): void {
    ReadableStreamDefaultController.prototype.enqueue = this.#own;
  }
}

function countWords(text: string): number {
  return text.split('"content":" word"').length - 1;
}

interface Storm {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly calls: ReadonlyMap<string, WordsCall>;
  readonly records: ReadonlyMap<string, RequestRecord>;
  readonly spent: bigint;
}

interface Storming {
  readonly onDisconnect: "cancel" | "drain";
  readonly seed: number;
  /** More of each request. */
  readonly asks?: Readonly<Record<string, unknown>>;
}

/** Lets them all come and leave; resolves when the service has ended every call. */
async function storm({ onDisconnect, seed, asks }: Storming): Promise<Storm> {
  const all = leavings(seed);
  const plans = new Map(all.map(({ message, plan }) => [message, plan]));
  await using upstream = new WordsUpstream((message) => {
    const plan = plans.get(message);
    assert(plan !== undefined, `Nobody asked "${message}"`);
    return plan;
  });
  const settings = { onDisconnect, maxInFlight: 4 * CLIENTS };
  const config = {
    ...labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: settings }),
    // Never asked: no model here calls a tool.
    search: { kind: "searxng", baseUrl: upstream.baseUrl },
  };
  await using service = await TestService.start({ config, described: false });
  const seen = new Map<string, Seen>();
  const waiting = all.values();
  const client = async () => {
    for (const leaving of waiting) {
      seen.set(leaving.message, await leave(service, leaving, asks));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await service.quiet();
  const { calls } = upstream;
  await until(
    () => [...calls.values()].every((call) => call.finished || call.leftAtMs !== undefined),
    "the upstream to finish or to see each client leave",
  );
  await service.assertBooks();
  assertEquals(service.logs.filter(({ event }) => event === "internal_error"), []);
  const { spent, writtenOff } = await service.wallet();
  assertEquals(writtenOff, 0n);
  // Rows of cancelled calls are written after them.
  await until(async () => (await recordsOf(service)).size === ROUNDS, "every row to be written");
  return { seen, calls, records: await recordsOf(service), spent };
}

async function recordsOf(service: TestService): Promise<Map<string, RequestRecord>> {
  const records = new Map<string, RequestRecord>();
  let cursor: string | undefined;
  do {
    const page = await service.running.stores.log.search({ limit: 500, cursor });
    for (const record of page.records) records.set(record.requestId.slice("call-".length), record);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return records;
}

function microsOf({ charged }: RequestRecord): bigint {
  return BigInt(charged.replace(".", ""));
}

Deno.test(`${ROUNDS} clients leave: with "drain" the bills are the upstream's own count`, async () => {
  const { calls, records, spent } = await storm({ onDisconnect: "drain", seed: 20_260_102 });
  let due = 0n;
  for (const [message, { finished, plan }] of calls) {
    assert(finished, `call ${message} was read to its end`);
    const micros = BigInt(WORDS_INPUT) * INPUT_MICROS + BigInt(plan.words) * OUTPUT_MICROS;
    const record = records.get(message);
    assertEquals(record && microsOf(record), micros, `call ${message}`);
    due += micros;
  }
  assertEquals(spent, due);
  assertGreater(calls.size, ROUNDS * 0.7);
});

const SURFACES: readonly (readonly [how: string, asks: NonNullable<Storming["asks"]>])[] = [
  ["", {}],
  [", hosted tools offered", { tools: [{ type: "web_search_preview" }] }],
];

for (const [how, asks] of SURFACES) {
  Deno.test(`${ROUNDS} clients leave: with "cancel" the bills are what was delivered${how}`, async () => {
    using handed = new Handed();
    const met = await storm({ onDisconnect: "cancel", seed: 20_260_103, asks });
    const { calls, records, seen, spent } = met;
    let [billed, counted, lost] = [0n, 0, 0];
    for (const [message, record] of records) {
      const words = seen.get(message)?.words ?? 0;
      const { inputTokens, outputTokens } = record;
      billed += microsOf(record);
      if (!assertBilled(record, { call: calls.get(message), words })) continue;
      assertEquals(outputTokens, handed.words.get(message), `call ${message}`);
      // The number; the model also reads what the tools are.
      assert("tools" in asks ? inputTokens > 1 : inputTokens === 1, `call ${message}`);
      counted++;
      lost += outputTokens - words;
    }
    assertEquals(spent, billed);
    assertGreater(counted, ROUNDS / 10);
    const waits = noticedMs(met);
    assertGreater(waits.length, ROUNDS / 10);
    assertLess(waits.at(-1) ?? Infinity, NOTICED_MAX_MS);
    if (ROUNDS <= 200) return;
    const at = (part: number) => waits[Math.floor(waits.length * part)]?.toFixed(1);
    console.info(`${waits.length} aborts seen upstream: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
    console.info(
      `${counted} bills counted; ${lost} words were on their way when their client left`,
    );
  });
}

/** Holds a bill between what its client read and what its upstream wrote; whether it was counted. */
function assertBilled(
  record: RequestRecord,
  { call, words }: { readonly call: WordsCall | undefined; readonly words: number },
): boolean {
  const { estimated, inputTokens, outputTokens, requestId } = record;
  const due = BigInt(inputTokens) * INPUT_MICROS + BigInt(outputTokens) * OUTPUT_MICROS;
  assertEquals(microsOf(record), due, requestId);
  const sent = call?.sent ?? 0;
  assert(words <= outputTokens, `${requestId}: ${words} words came, ${outputTokens} were billed`);
  assert(outputTokens <= sent, `${requestId}: ${outputTokens} were billed, ${sent} sent`);
  if (estimated) return true;
  // Reported, or nothing at all was delivered.
  const reported = [[0, 0], [WORDS_INPUT, call?.plan.words]];
  assert(reported.some(([input, output]) => input === inputTokens && output === outputTokens));
  return false;
}

/** Returns the delays between a disconnect and its detection, in milliseconds, shortest first. */
function noticedMs({ calls, seen }: Pick<Storm, "calls" | "seen">): number[] {
  return [...calls].flatMap(([message, { leftAtMs }]) => {
    const seenLeftAtMs = seen.get(message)?.leftAtMs;
    return seenLeftAtMs === undefined || leftAtMs === undefined ? [] : [leftAtMs - seenLeftAtMs];
  }).toSorted((a, b) => a - b);
}
