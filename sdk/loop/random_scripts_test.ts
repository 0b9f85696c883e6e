import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { agentLoop, drain } from "./loop.ts";
import type { LoopEvent, LoopResult } from "./result.ts";
import {
  call,
  calling,
  type Event,
  type Lines,
  never,
  saying,
  scripted,
  settled,
  StillClock,
  surface,
  toolNamed,
} from "./script_test.ts";

/** Names of tools, by their behaviour. */
const TOOLS = [
  toolNamed("quick", () => "quick"),
  toolNamed("slow", async (_, { toolCallId }) => {
    for (let at = 0; at < toolCallId.length; at++) await settled();
    return "slow";
  }),
  toolNamed("throws", () => {
    throw new Error("secret");
  }),
  toolNamed("rejects", () => Promise.reject("secret")),
  toolNamed("deaf", never),
  toolNamed("own"),
];

const name = fc.constantFrom(...TOOLS.map(({ name }) => name), "ghost", "__proto__");
const input = fc.constantFrom("{}", "", "{", '{"a":[1,2]}', "null");
const aTurn = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.record({ name, input, id: fc.string() }), { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom("fails" as const, "cut" as const, "hangs" as const) },
);

interface Script {
  readonly turns: (Event | (() => unknown))[][];
  readonly calls: number;
}

/** The turns of a model; ids repeat, as they do in the wild, and the signature tells calls apart. */
const script = fc.array(aTurn, { maxLength: 6 }).map((plans): Script => {
  let calls = 0;
  const turns = plans.map((plan): (Event | (() => unknown))[] => {
    const text: Event = { type: "text_delta", text: "x" };
    if (plan === "fails") return [text, () => Promise.reject(new Error("failed"))];
    if (plan === "cut") return [text];
    if (plan === "hangs") return [text, never];
    if (plan.length === 0) return saying("answer");
    return calling(...plan.map(({ name, input, id }) => ({
      ...call(id, name, input),
      raw: { signature: `#${calls++}` },
    })));
  });
  return { turns, calls };
});

/** Checks the invariants of every result. */
function check(result: LoopResult<Lines>, maxSteps: number): void {
  assert(result.steps.length <= maxSteps, "More steps than allowed");
  const written: string[] = [];
  result.steps.forEach((step, at) => {
    assertEquals(step.index, at);
    const answered = step.calls.filter(({ name }) => name !== "own");
    assertEquals(step.results.map(({ call }) => call), answered);
    written.push(...step.results.map(({ call, text }) => `${call.raw.signature}: ${text}`));
    for (const { text } of step.results) assert(!text.includes("secret"), text);
  });
  const results = result.conversation.filter((line) => line.startsWith("#"));
  assertEquals(results, written);
  const last = result.steps.at(-1);
  const isAnswer = last !== undefined && last.calls.length === 0;
  assertEquals(result.stoppedBy === "finish", isAnswer);
  assertEquals(result.finalText, isAnswer ? "answer" : "");
  assertEquals(result.pendingCalls.length > 0, result.stoppedBy === "tool_calls");
  assertEquals("error" in result, ["error", "aborted"].includes(result.stoppedBy));
  if (result.stoppedBy === "max_steps") assertEquals(result.steps.length, maxSteps);
}

const limits = fc.record({
  maxSteps: fc.integer({ min: 1, max: 6 }),
  maxParallelToolCalls: fc.integer({ min: 1, max: 4 }),
  maxToolCallsPerStep: fc.integer({ min: 1, max: 5 }),
});

Deno.test("random scripts: bounded, each call answered once and in order, nothing left", async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(script, limits, fc.nat(400), async ({ turns }, limits, abortAfter) => {
      const clock = new StillClock();
      const controller = new AbortController();
      const model = scripted(
        ...turns,
        ...Array.from({ length: 8 }, () => saying("answer")),
      );
      const { signal } = controller;
      const ports = { surface, model, clock, signal };
      const options = { tools: TOOLS, manualTools: ["own"], ...ports, ...limits };
      let finalText = "";
      const onTextDelta = (text: string) => void (finalText += text);
      const loop = agentLoop({ conversation: [], onTextDelta, ...options });
      let isDone = false;
      const pending = drain(loop).finally(() => isDone = true);
      // Time passes for waiting code, up to a limit.
      let at = 0;
      for (; !isDone; at++) {
        if (at === abortAfter || at === 200) controller.abort(new Error("enough"));
        await Promise.resolve();
        if (at % 40 === 39) clock.pass(60_000);
        if (at % 10 === 9) await settled();
      }
      const result = await pending;
      check(result, limits.maxSteps);
      // A run that is broken off between the text and its end has told text that is not final.
      if (at < abortAfter) assertEquals(finalText, result.finalText);
      assertEquals(clock.timers.size, 0);
      ends.add(result.stoppedBy);
    }),
    { numRuns: 400 },
  );
  assertEquals([...ends].sort(), ["aborted", "error", "finish", "max_steps", "tool_calls"]);
});

Deno.test("random scripts: leaving after any event leaves no timer and no turn behind", async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.nat(20), async ({ turns }, leaveAfter) => {
      const clock = new StillClock();
      const model = scripted(...turns);
      const loop = agentLoop({ conversation: [], surface, model, tools: TOOLS, clock });
      const seen: LoopEvent<Lines>[] = [];
      const read = loop.next().then(function take(next): unknown {
        if (next.done) return;
        seen.push(next.value);
        if (seen.length < leaveAfter) return loop.next().then(take);
      });
      await settled();
      // The read may still wait for a model that hangs or for a tool that is deaf.
      const finished = await drain(agentLoop({ conversation: [], surface, model: scripted() }));
      await Promise.all([loop.return(finished), read]);
      assertEquals(clock.timers.size, 0);
      const hanging = turns.some((turn) => turn.includes(never)) ? 1 : 0;
      await settled();
      assert(model.open <= hanging, "A turn was left open");
      assertEquals((await loop.next()).done, true);
    }),
    { numRuns: 300 },
  );
});
