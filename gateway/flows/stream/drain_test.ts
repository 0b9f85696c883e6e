import { assert, assertEquals, assertRejects } from "@std/assert";
import { UpstreamCut } from "../../ports/upstream.ts";
import { ChatRelay } from "../../wire/chat/relay.ts";
import { drain, DRAINED_EVENTS_BESIDE, DRAINED_EVENTS_PER_TOKEN } from "./drain.ts";
import { InFlight } from "../admit/in_flight.ts";

const WORD = '{"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}';
const USAGE = '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}';
const HELD_TOKENS = 4;
const EVENTS_MAX = HELD_TOKENS * DRAINED_EVENTS_PER_TOKEN + DRAINED_EVENTS_BESIDE;

/** An answer whose reads return what the test says, with a record of its end. */
function disconnected(next: () => Promise<IteratorResult<readonly string[]>>) {
  const seen = { reads: 0 };
  const relay = new ChatRelay("m");
  const events = { next: () => (seen.reads += 1, next()) };
  const abort = new AbortController();
  return {
    seen,
    relay,
    abort,
    answer: { events, relay },
    candidate: { outputTokens: HELD_TOKENS },
  };
}

function bringing(...texts: readonly string[]): Promise<IteratorResult<readonly string[]>> {
  return Promise.resolve({ done: false, value: texts });
}

const silence = () => Promise.withResolvers<never>().promise;

Deno.test("an answer is read to its end, the read in progress first", async () => {
  const answer = disconnected(() => Promise.resolve({ done: true, value: undefined }));
  await drain(new InFlight(), answer, { reading: bringing(WORD, USAGE) });
  assertEquals(answer.relay.usage?.outputTokens, 2);
  assertEquals([answer.seen.reads, answer.abort.signal.aborted], [1, false]);
});

Deno.test("an answer that does not end is not read far beyond what its hold pays for", async () => {
  const words = Array(2 * EVENTS_MAX).fill(WORD).values();
  const answer = disconnected(() => {
    const { done, value } = words.next();
    return done ? Promise.resolve({ done, value }) : bringing(value);
  });
  await drain(new InFlight(), answer);
  assertEquals(answer.seen.reads, EVENTS_MAX);
});

Deno.test("an answer that stays silent is aborted when the time is over", async () => {
  const answer = disconnected(silence);
  await drain(new InFlight(), answer, { maxMs: 1 });
  assertEquals(answer.abort.signal.reason, "left");
});

Deno.test("a shutdown ends it immediately, before it begins and during it", async () => {
  const inFlight = new InFlight();
  const answer = disconnected(silence);
  const draining = drain(inFlight, answer);
  inFlight.abortAll();
  await draining;
  assertEquals(answer.abort.signal.reason, "shutdown");
  const late = disconnected(() => bringing(WORD));
  await drain(inFlight, late);
  assertEquals(late.seen.reads, 0);
});

Deno.test("an interrupted answer is reported, and no longer watched", async () => {
  const inFlight = new InFlight();
  const answer = disconnected(() => Promise.reject(new UpstreamCut("cut", "The connection broke")));
  await assertRejects(() => drain(inFlight, answer), UpstreamCut);
  inFlight.abortAll();
  assert(!answer.abort.signal.aborted);
});
