/**
 * However a call ends, it is charged what the table of endings says, and the books are right.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import { readEvents } from "../fixtures/event_stream.ts";
import {
  chunk,
  FakeUpstream,
  json,
  LAST_CHUNK,
  type Script,
  sse,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import {
  CACHED_MICROS,
  chunkText,
  completion,
  INPUT_MICROS,
  labConfig,
  OUTPUT_MICROS,
  QUESTION,
  streamed,
  usage,
  usageChunk,
} from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";

/** Most output of the one model: what is held for a request that names no limit. */
const OUTPUT_MAX = 1_000;
const WORDS = ["Hello ", "there ", "friend"];

interface Ending {
  readonly name: string;
  /** What the upstream does with a request that is not streamed. */
  readonly whole?: Script;
  /** What it does with a streamed one. */
  readonly stream?: Script;
  /** Micro-credits, or how they come about. */
  readonly charge: bigint | "counted" | "the hold";
  readonly status?: number;
  /** The stream breaks: one error event, and no clean end. */
  readonly broken?: boolean;
}

function events(texts: readonly string[], end: Script): Script {
  return [streamHead(), ...texts.map((text) => chunk(`data: ${text}\n\n`)), ...end];
}

const BEGINNING = [chunkText({ role: "assistant", content: "" }), chunkText({ content: "Hello " })];
const HUGE = usage(1_000_000, 1_000_000);
const EMPTY_STREAM = [chunkText({ role: "assistant", content: "" })];

const ENDINGS: readonly Ending[] = [
  {
    name: "finished, usage reported: usage times price",
    whole: json(completion({ usage: usage(10, 5, 4) })),
    stream: sse(streamed(WORDS, usage(10, 5, 4))),
    charge: 6n * INPUT_MICROS + 4n * CACHED_MICROS + 5n * OUTPUT_MICROS,
  },
  {
    name: "an explicit zero is a zero",
    whole: json(completion({ usage: usage(0, 0) })),
    stream: sse(streamed(WORDS, usage(0, 0))),
    charge: 0n,
  },
  {
    name: "an empty answer cut by the length limit: reported usage wins",
    whole: json(completion({ usage: usage(10, 100) }, { content: "", finish: "length" })),
    stream: sse([...EMPTY_STREAM, chunkText({}, "length"), usageChunk(usage(10, 100))]),
    charge: 10n * INPUT_MICROS + 100n * OUTPUT_MICROS,
  },
  {
    name: "finished, no usage: input and output counted",
    whole: json(completion({ usage: null }, { content: WORDS.join("") })),
    stream: sse(streamed(WORDS)),
    charge: "counted",
  },
  {
    name: "a clean end without [DONE], no usage: counted",
    stream: events(streamed(WORDS), [LAST_CHUNK]),
    charge: "counted",
  },
  {
    name: "failed before the first byte: nothing",
    whole: json({ error: { message: "No" } }, { status: 500 }),
    stream: json({ error: { message: "No" } }, { status: 500 }),
    charge: 0n,
    status: 502,
  },
  {
    name: "an answer that is cut in the middle of its JSON: nothing",
    whole: [
      { send: "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n" },
      { send: JSON.stringify(completion()).slice(0, 60) },
      { close: true },
    ],
    charge: 0n,
    status: 502,
  },
  {
    name: "nothing delivered and no usage: nothing",
    whole: json(completion({ usage: null }, { content: "" })),
    stream: sse([...EMPTY_STREAM, chunkText({}, "stop")]),
    charge: 0n,
  },
  {
    name: "an error finish, nothing delivered: nothing",
    whole: json(completion({ usage: null }, { content: "", finish: "error" })),
    stream: sse([...EMPTY_STREAM, chunkText({}, "error")]),
    charge: 0n,
  },
  {
    name: "cut in mid-stream: what was delivered, counted",
    stream: events(BEGINNING, [{ close: true }]),
    charge: "counted",
    broken: true,
  },
  {
    name: "an error in mid-stream: what was delivered, counted",
    stream: events([...BEGINNING, '{"error":{"message":"Overloaded"}}'], [LAST_CHUNK]),
    charge: "counted",
    broken: true,
  },
  {
    name: "cut in mid-stream before any content: nothing",
    stream: events(EMPTY_STREAM, [{ close: true }]),
    charge: 0n,
    broken: true,
  },
  {
    name: "cut after usage was reported: usage",
    stream: events([
      ...BEGINNING,
      chunkText({ content: "x" }).replace(/}$/, `,"usage":${JSON.stringify(usage(10, 2))}}`),
    ], [{ close: true }]),
    charge: 10n * INPUT_MICROS + 2n * OUTPUT_MICROS,
    broken: true,
  },
  {
    name: "more than the hold is written off",
    whole: json(completion({ usage: HUGE })),
    stream: sse(streamed(WORDS, HUGE)),
    charge: "the hold",
  },
];

for (const ending of ENDINGS) {
  for (const stream of [false, true]) {
    const script = stream ? ending.stream : ending.whole;
    if (script === undefined) continue;
    const how = stream ? "streamed" : "not streamed";
    Deno.test(`${ending.name}, ${how}`, () => check(ending, { script, stream }));
  }
}

async function check(ending: Ending, { script, stream }: { script: Script; stream: boolean }) {
  await using upstream = new FakeUpstream();
  upstream.answer(script);
  const config = labConfig({
    id: "only",
    baseUrl: upstream.baseUrl,
    maxOutputTokens: OUTPUT_MAX,
  });
  await using service = await TestService.start({ config });
  const response = await service.chat({ messages: QUESTION, stream });
  assertEquals(response.status, ending.status ?? 200);
  const billing = ending.status !== undefined
    ? void await response.body?.cancel()
    : stream
    ? await billOf(response, ending)
    : (await response.json()).metadata.billing;
  const record = await service.lastRequest();
  const wallet = await service.wallet();
  assertEquals(billing?.charged ?? "0.000000", record.charged);
  assertEquals(record.charged, credits(wallet.spent));
  if (ending.charge === "counted") {
    assert(record.estimated);
    assertGreater(record.inputTokens, 0);
    assertGreater(record.outputTokens, 0);
    const due = BigInt(record.inputTokens) * INPUT_MICROS +
      BigInt(record.outputTokens) * OUTPUT_MICROS;
    assertEquals(wallet.spent, due);
  } else if (ending.charge === "the hold") {
    assertGreater(wallet.spent, BigInt(OUTPUT_MAX) * OUTPUT_MICROS);
    const due = 1_000_000n * (INPUT_MICROS + OUTPUT_MICROS);
    assertEquals(wallet.spent + wallet.writtenOff, due);
  } else {
    assertEquals(wallet.spent, ending.charge);
    assertEquals(record.estimated, false);
  }
  await service.assertBooks();
}

/** The bill at the end of a stream, once the end has been seen to be what it should be. */
async function billOf(response: Response, ending: Ending) {
  const { events, last, done } = await readEvents(response);
  const errors = events.filter((event) => event.error !== undefined);
  assertEquals(last.choices, []);
  assertEquals(done, ending.broken ? 0 : 1);
  assertEquals(errors.length, ending.broken ? 1 : 0);
  if (ending.broken) {
    assertEquals(last.error?.code, "upstream_error");
    assertEquals(last.error?.request_id, response.headers.get("x-request-id"));
  }
  return last.metadata?.billing;
}

function credits(micros: bigint): string {
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, "0")}`;
}
