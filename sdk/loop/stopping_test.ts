import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { spy } from "@std/testing/mock";
import { agentLoop, drain } from "./loop.ts";
import type { LoopOptions } from "./options.ts";
import type { ModelPort } from "./ports.ts";
import {
  call,
  calling,
  type Lines,
  never,
  saying,
  scripted,
  settled,
  StillClock,
  surface,
  toolNamed,
  untilAborted,
} from "./script_test.ts";
import { NO_USAGE } from "./usage.ts";

const BOOM = new Error("boom");
const echo = toolNamed("echo", (input) => input);

function loopOf(model: ModelPort<Lines>, options: Partial<LoopOptions<Lines>> = {}) {
  return agentLoop({ conversation: ["hi"], surface, model, tools: [echo], ...options });
}

function boom(): never {
  throw BOOM;
}

const usage = { ...NO_USAGE, totalTokens: 5 };

Deno.test("a later turn that fails gives the partial result with the error", async () => {
  const model = scripted(
    [{ type: "usage", usage }, ...calling(call("a", "echo"))],
    [{ type: "text_delta", text: "It i" }, { type: "usage", usage }, boom],
  );
  const { steps, ...result } = await drain(loopOf(model));
  assertEquals(result, {
    stoppedBy: "error",
    error: BOOM,
    finalText: "",
    finishReason: "tool_calls",
    conversation: ["hi", "assistant: a", "a: {}"],
    usage: { ...NO_USAGE, totalTokens: 10 },
    pendingCalls: [],
    unfinished: { index: 1, text: "It i", reasoning: "", calls: [], results: [], usage },
  });
  assertEquals(steps.length, 1);
});

Deno.test("a turn that ends without its finish is an error, and its calls do not run", async () => {
  let runs = 0;
  const tools = [toolNamed("count", () => ++runs)];
  const model = scripted([
    { type: "text_delta", text: "half" },
    { type: "tool_call", call: call("a", "count") },
  ]);
  const result = await drain(loopOf(model, { tools }));
  assertEquals([result.stoppedBy, result.finalText, result.steps.length], ["error", "", 0]);
  assertEquals([result.unfinished?.text, result.unfinished?.calls.length, runs], ["half", 1, 0]);
  assertInstanceOf(result.error, Error);
});

Deno.test("a port or a hook that fails ends the loop as an error, everything cancelled", async () => {
  const turns = [[{ type: "text_delta", text: "hm" } as const, ...calling(call("a", "echo"))]];
  const bad = (part: Partial<typeof surface>) => ({ surface: { ...surface, ...part } });
  const rejected = () => Promise.reject(BOOM);
  const failing: [Partial<LoopOptions<Lines>>, number][] = [
    [{ model: { turn: boom } }, 0],
    [{ budget: { refuse: boom } }, 0],
    [{ budget: { refuse: rejected } }, 0],
    [{ prepareStep: boom }, 0],
    [{ onIntermediateText: boom }, 0],
    [{ onIntermediateText: rejected }, 0],
    [{ onToolResult: rejected }, 0],
    [bad({ withAssistantTurn: boom }), 0],
    [bad({ withToolResults: boom }), 0],
    [bad({ withAutoToolChoice: boom }), 0],
    [{ onStep: rejected }, 1],
    [{ stopWhen: rejected }, 1],
  ];
  for (const [options, steps] of failing) {
    const model = scripted(...turns);
    const result = await drain(loopOf(model, options));
    assertEquals([result.stoppedBy, result.error, result.steps.length], ["error", BOOM, steps]);
    assertEquals(result.conversation.length, steps === 0 ? 1 : 3);
    assertEquals(model.open, 0);
  }
});

Deno.test("a failing hook stops the tools that still run", async () => {
  const signals: AbortSignal[] = [];
  const slow = toolNamed("slow", (_, context) => {
    signals.push(context.signal);
    return untilAborted(context);
  });
  const clock = new StillClock();
  const model = scripted(calling(call("a", "echo"), call("b", "slow")));
  const result = await drain(loopOf(model, { tools: [echo, slow], clock, onToolResult: boom }));
  assertEquals([result.stoppedBy, result.unfinished?.results.length], ["error", 1]);
  assertEquals([signals.map(({ aborted }) => aborted), clock.timers.size], [[true], 0]);
});

Deno.test("one signal stops a silent model at once, also one that does not listen", async () => {
  for (const wait of [untilAborted, never]) {
    const controller = new AbortController();
    const model = scripted(calling(call("a", "echo")), [{ type: "text_delta", text: "x" }, wait]);
    const pending = drain(loopOf(model, { signal: controller.signal }));
    await settled();
    assertEquals(model.open, 1);
    controller.abort(BOOM);
    const result = await pending;
    assertEquals([result.stoppedBy, result.error, result.finalText], ["aborted", BOOM, ""]);
    assertEquals([result.steps.length, result.unfinished?.text], [1, "x"]);
    assert(model.requests[1]?.signal.aborted);
    await settled();
    assertEquals(model.open, wait === never ? 1 : 0);
  }
});

Deno.test("one signal stops all tools, and every call still gets a result", async () => {
  const controller = new AbortController();
  const clock = new StillClock();
  const started: string[] = [];
  const wait = toolNamed("wait", (_, context) => {
    started.push(context.toolCallId);
    return untilAborted(context);
  });
  const deaf = toolNamed("deaf", never);
  const model = scripted(
    calling(call("a", "echo"), call("b", "wait"), call("c", "deaf"), call("d", "wait")),
  );
  const pending = drain(loopOf(model, {
    tools: [echo, wait, deaf],
    signal: controller.signal,
    maxParallelToolCalls: 2,
    clock,
  }));
  await settled();
  assertEquals([started, clock.timers.size], [["b"], 2]);
  controller.abort(BOOM);
  assertEquals(clock.timers.size, 0);
  const result = await pending;
  assertEquals([result.stoppedBy, result.error, result.steps.length], ["aborted", BOOM, 1]);
  const texts = result.steps[0]?.results.map(({ text }) => text) ?? [];
  assertEquals(texts.map((text) => text.includes("tool_aborted")), [false, true, true, true]);
  assertEquals(texts.map((text) => text.includes("did not start")), [false, false, false, true]);
  assertEquals(started, ["b"]);
});

Deno.test("an abort during the last step is neither a hand-back nor a bound that was reached", async () => {
  for (const calls of [[call("a", "deaf"), call("b", "own")], [call("a", "deaf")]]) {
    const controller = new AbortController();
    const pending = drain(loopOf(scripted(calling(...calls)), {
      tools: [toolNamed("deaf", never), toolNamed("own")],
      signal: controller.signal,
      clock: new StillClock(),
      maxSteps: 1,
    }));
    await settled();
    controller.abort(BOOM);
    const result = await pending;
    assertEquals([result.stoppedBy, result.pendingCalls], ["aborted", []]);
  }
});

Deno.test("a signal that was aborted before sends nothing; hooks and ports are not waited for", async () => {
  const model = scripted();
  const before = await drain(loopOf(model, { signal: AbortSignal.abort(BOOM) }));
  assertEquals([before.stoppedBy, before.error, before.steps.length], ["aborted", BOOM, 0]);
  assertEquals([model.requests.length, before.unfinished], [0, undefined]);
  const waiting: Partial<LoopOptions<Lines>>[] = [
    { budget: { refuse: never } },
    { prepareStep: never },
    { onIntermediateText: never },
    { onToolResult: never },
    { onStep: never },
    { stopWhen: never },
  ];
  for (const options of waiting) {
    const controller = new AbortController();
    const model = scripted([{ type: "text_delta", text: "x" }, ...calling(call("a", "echo"))]);
    const pending = drain(loopOf(model, { ...options, signal: controller.signal }));
    await settled();
    controller.abort(BOOM);
    assertEquals((await pending).stoppedBy, "aborted");
    assertEquals(model.open, 0);
  }
});

Deno.test("an answer that is whole stays one where the signal comes with its last word", async () => {
  const controller = new AbortController();
  const onStep = () => controller.abort();
  const signal = controller.signal;
  const result = await drain(loopOf(scripted(saying("whole")), { signal, onStep }));
  assertEquals([result.stoppedBy, result.finalText], ["finish", "whole"]);
});

Deno.test("leaving between two events cancels the model and the tools", async () => {
  const clock = new StillClock();
  const signals: AbortSignal[] = [];
  const slow = toolNamed("slow", (_, context) => {
    signals.push(context.signal);
    return never();
  });
  for (const until of ["text_delta", "tool_result"]) {
    const model = scripted([
      { type: "text_delta", text: "x" },
      ...calling(call("a", "echo"), call("b", "slow")),
    ]);
    for await (const { type } of loopOf(model, { tools: [echo, slow], clock })) {
      if (type === until) break;
    }
    assertEquals([model.open, clock.timers.size], [0, 0]);
    assert(model.requests[0]?.signal.aborted);
  }
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
});

Deno.test("leaving while an event is awaited does not wait for it", async () => {
  const model = scripted([never]);
  const loop = loopOf(model);
  await loop.next();
  const pending = loop.next();
  await settled();
  const returned = await loop.return({ ...await drain(loopOf(scripted())), finalText: "mine" });
  assertEquals([returned.done, returned.done && returned.value.finalText], [true, "mine"]);
  const last = await pending;
  assertEquals([last.done, last.done && last.value.stoppedBy], [true, "aborted"]);
  assert(model.requests[0]?.signal.aborted);
});

Deno.test("disposing of a loop and throwing into it leave it too", async () => {
  const model = scripted([{ type: "text_delta", text: "x" }, untilAborted]);
  {
    await using loop = loopOf(model);
    await loop.next();
    await loop.next();
    assertEquals(model.open, 1);
  }
  assertEquals(model.open, 0);
  const loop = loopOf(model);
  await loop.next();
  await loop.next();
  const last = await loop.throw(BOOM);
  assertEquals([model.open, last.done && last.value.error], [0, BOOM]);
  await assertRejects(() => loopOf(model).throw(BOOM), Error, "boom");
});

Deno.test("a failure of the model at the end of the run is reported, not lost", async () => {
  const model: ModelPort<Lines> = {
    async *turn() {
      try {
        yield* saying("x");
      } finally {
        boom();
      }
    },
  };
  const result = await drain(
    loopOf(model, { onTextDelta: () => Promise.reject(new Error("hook")) }),
  );
  assertEquals([result.stoppedBy, result.error], ["error", BOOM]);
});

Deno.test("a loop lets go of the caller's signal when it ends", async () => {
  const { signal } = new AbortController();
  using added = spy(signal, "addEventListener");
  using removed = spy(signal, "removeEventListener");
  const listeners = () => added.calls.length - removed.calls.length;
  loopOf(scripted(), { signal });
  assertEquals(listeners(), 0);
  const running = loopOf(scripted(), { signal });
  await running.next();
  assertEquals(listeners(), 1);
  await drain(running);
  assertEquals(listeners(), 0);
  for await (const _ of loopOf(scripted(), { signal })) break;
  assertEquals(listeners(), 0);
  const listenersOf = (calls: typeof added.calls) => calls.map(({ args }) => args[1]);
  assertEquals(listenersOf(removed.calls), listenersOf(added.calls));
});
