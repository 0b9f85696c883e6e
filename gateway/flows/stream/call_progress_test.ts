import { assertEquals } from "@std/assert";
import type { ProgressCommand } from "../../domain/ledger/ledger.ts";
import { freezePrice, type FrozenPrice, type Usage } from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { LogFields } from "../../ports/logger.ts";
import { StoreError } from "../../ports/store_error.ts";
import {
  CallProgress,
  CHECKPOINT_CHARS,
  CHECKPOINT_MS,
  COUNTED_MAX_CHARS,
  type ProgressDeps,
} from "./call_progress.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { ActiveRequest } from "../request/active_request.ts";

// A token of input costs one micro-credit, one of output two.
const PRICE = freezePrice({ inputPerMTok: "1", outputPerMTok: "2", currency: "USD" }, "1", {
  version: 1,
}) as FrozenPrice;

type Answer = () => Promise<{ readonly ok: boolean }>;

/** A call with its clock, and a record of its checkpoints. */
function callAt(answer: Answer = () => Promise.resolve({ ok: true })) {
  let nowMs = 0;
  const relay = {
    usage: undefined as Usage | undefined,
    delivered: [] as string[],
    usedUpBy: undefined as number | undefined,
    finished: false,
    get deliveredChars(): number {
      return relay.delivered.join("").length;
    },
  };
  const kept: ProgressCommand[] = [];
  const lines: string[] = [];
  const checkpoints = new Checkpoints({ checkMs: 60_000 });
  const progress = new CallProgress(
    {
      checkpoints,
      clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
      ledger: { progress: (command: ProgressCommand) => (kept.push(command), answer()) },
      logger: { warn: (event: string, _fields?: LogFields) => void lines.push(event) },
    } as unknown as ProgressDeps,
    {
      active: { identity: { requestId: "r", endpoint: "chat" } } as unknown as ActiveRequest,
      hold: { id: "h", held: 1_000n, price: PRICE, outputTokens: 1_000 },
      candidate: {
        model: { contextTokens: 100_000 },
        mediaInputTokens: 0,
        imageInputTokens: 0,
      } as unknown as Candidate,
      relay,
      inputText: () => "one two three four ",
    },
  );
  return {
    ...{ progress, relay, kept, lines, checkpoints },
    /** Sends this many words, which the reader takes. */
    say(words: number, { taken = true } = {}): void {
      relay.delivered.push("word ".repeat(words));
      progress.sent("data: …\n\n".repeat(words));
      if (taken) progress.confirm();
    },
    async later(ms: number): Promise<void> {
      nowMs += ms;
      progress.writeIfDue();
      await new Promise((resolve) => setTimeout(resolve));
    },
    [Symbol.dispose]: () => progress.end(),
  };
}

Deno.test("a short stream writes no checkpoint, a longer one every two seconds", async () => {
  using call = callAt();
  call.say(3);
  await call.later(CHECKPOINT_MS - 1);
  assertEquals(call.kept, []);
  await call.later(1);
  assertEquals(call.kept, [{
    ...{ kind: "progress", holdId: "h", cost: 4n + 3n * 2n, atMs: CHECKPOINT_MS },
    ...{ inputTokens: 4, cachedInputTokens: 0, outputTokens: 3 },
  }]);
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept.length, 1, "there was nothing new");
  call.say(2);
  await call.later(0);
  assertEquals(call.kept.map(({ outputTokens }) => outputTokens), [3, 5]);
});

Deno.test("a stream that is fast is written down earlier", async () => {
  using call = callAt();
  call.say(CHECKPOINT_CHARS / 8);
  await call.later(1);
  assertEquals(call.kept.length, 1);
});

Deno.test("an output of no model's length is not counted again and again", async () => {
  using call = callAt();
  call.say(3);
  await call.later(CHECKPOINT_MS);
  call.say(COUNTED_MAX_CHARS);
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept.map(({ outputTokens }) => outputTokens), [3]);
  call.relay.usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 20 };
  call.say(1);
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept.map(({ outputTokens }) => outputTokens), [3, 20]);
});

Deno.test("sent text counts once the connection has taken it", async () => {
  using call = callAt();
  call.say(3);
  call.say(4, { taken: false });
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept, []);
  call.progress.confirm();
  assertEquals(call.kept.map(({ outputTokens }) => outputTokens), [7]);
});

Deno.test("reported usage counts; near the settlement no checkpoint is written", async () => {
  using call = callAt();
  call.say(3);
  call.relay.usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 20 };
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept.map(({ cost }) => cost), [50n]);
  // Less than was reported before, and then the end.
  call.relay.usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
  call.say(1);
  await call.later(CHECKPOINT_MS);
  call.relay.usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 1 };
  call.relay.finished = true;
  call.say(1);
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept.length, 1);
});

Deno.test("a slow store has one at a time, the newest; a failing one costs nothing else", async () => {
  const answers: PromiseWithResolvers<{ ok: boolean }>[] = [];
  using call = callAt(() => {
    answers.push(Promise.withResolvers());
    return answers.at(-1)!.promise;
  });
  for (let words = 0; words < 50; words++) {
    call.say(1);
    await call.later(CHECKPOINT_MS);
  }
  assertEquals(call.kept.map(({ outputTokens }) => outputTokens), [1]);
  answers[0]?.reject(new StoreError("disk full"));
  await call.later(0);
  await call.later(CHECKPOINT_MS);
  assertEquals([call.kept.at(-1)?.outputTokens, call.lines], [50, ["checkpoint_not_kept"]]);
  // A failed checkpoint is tried again, also without new text.
  answers[1]?.reject(new StoreError("disk full"));
  await call.later(0);
  await call.later(CHECKPOINT_MS);
  assertEquals([call.kept.length, call.lines.length], [3, 1]);
});

Deno.test("nothing is written of a call that has delivered next to nothing", async () => {
  using call = callAt();
  call.relay.delivered.push("W");
  call.progress.sent("data: W\n\n");
  call.progress.confirm();
  await call.later(CHECKPOINT_MS);
  assertEquals(call.kept, []);
  call.progress.end();
  assertEquals(call.checkpoints.size, 0);
});

Deno.test("early or impossible usage does not hide delivered text", async () => {
  for (const outputTokens of [0, -1, Infinity, 1e30]) {
    using call = callAt();
    call.relay.usage = { inputTokens: 9, cachedInputTokens: 0, outputTokens };
    call.say(9);
    await call.later(CHECKPOINT_MS);
    const input = outputTokens === 0 ? 9n : 4n;
    assertEquals(call.kept.map(({ cost }) => cost), [input + 9n * 2n], `${outputTokens}`);
  }
});

Deno.test("a call beyond its hold is written down once as such, without its text", async () => {
  using call = callAt();
  call.say(3);
  await call.later(CHECKPOINT_MS);
  // From here on its text is gone.
  call.relay.usedUpBy = 600;
  call.relay.delivered.length = 0;
  for (let time = 0; time < 3; time++) {
    call.progress.sent("data: …\n\n");
    call.progress.confirm();
    await call.later(CHECKPOINT_MS);
  }
  assertEquals(call.kept.map(({ cost }) => cost), [10n, 4n + 600n * 2n]);
});
