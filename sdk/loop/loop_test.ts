import { assertEquals, assertThrows } from "@std/assert";
import { agentLoop, drain } from "./loop.ts";
import type { LoopOptions } from "./options.ts";
import type { ModelPort } from "./ports.ts";
import type { LoopEvent } from "./result.ts";
import { call, calling, type Lines, saying, scripted, surface, toolNamed } from "./script_test.ts";
import { NO_USAGE } from "./usage.ts";

const echo = toolNamed("echo", (input) => input);
const own = toolNamed("own");

function run(model: ModelPort<Lines>, options: Partial<LoopOptions<Lines>> = {}) {
  return drain(agentLoop({ conversation: ["hi"], surface, model, tools: [echo, own], ...options }));
}

Deno.test("agentLoop() yields every event in order and returns the result", async () => {
  const model = scripted(
    [{ type: "chunk", chunk: 1 }, { type: "reasoning_delta", text: "hm" }, {
      type: "tool_call_delta",
      index: 0,
      arguments: "{",
    }, ...calling(call("a", "echo", { n: 1 }))],
    [...saying("done"), { type: "chunk", chunk: 2 }],
  );
  const loop = agentLoop({ conversation: ["hi"], surface, model, tools: [echo] });
  const seen: LoopEvent<Lines>[] = [];
  let next = await loop.next();
  for (; !next.done; next = await loop.next()) seen.push(next.value);
  assertEquals(seen.map(({ type }) => type), [
    ...["step_start", "chunk", "reasoning_delta", "tool_call_delta", "tool_call", "finish"],
    ...["tool_result", "step", "step_start", "text_delta", "finish", "chunk", "step"],
  ]);
  const { steps, ...result } = next.value;
  assertEquals(result, {
    stoppedBy: "finish",
    finalText: "done",
    finishReason: "stop",
    conversation: ["hi", "assistant: a", 'a: {"n":1}', "assistant: done"],
    usage: NO_USAGE,
    pendingCalls: [],
  });
  assertEquals(
    steps.map(({ index, text, reasoning, finishReason, turn }) => [
      ...[index, text, reasoning, finishReason, turn],
    ]),
    [[0, "", "hm", "tool_calls", "a"], [1, "done", "", "stop", "done"]],
  );
  assertEquals((await loop.next()).done, true);
});

Deno.test("agentLoop() sends nothing before it is read", async () => {
  const model = scripted(saying("done"));
  const loop = agentLoop({ conversation: [], surface, model });
  assertEquals(model.requests.length, 0);
  await loop.return(await drain(agentLoop({ conversation: [], surface, model })));
  assertEquals(model.requests.length, 1);
});

Deno.test("agentLoop() is bounded: eight steps by default and for 0, and no answer then", async () => {
  const model: ModelPort<Lines> = {
    async *turn() {
      yield { type: "text_delta", text: "let me see" };
      yield* calling(call("a", "echo"));
    },
  };
  for (const [maxSteps, expected] of [[undefined, 8], [0, 8], [3, 3]] as const) {
    const result = await run(model, { maxSteps });
    assertEquals([result.stoppedBy, result.steps.length], ["max_steps", expected]);
    assertEquals([result.finalText, result.finishReason], ["", "tool_calls"]);
    assertEquals(result.conversation.length, 1 + 2 * expected);
  }
});

Deno.test("agentLoop() tells an answer that was cut from a whole one", async () => {
  const cut = await run(scripted([{ type: "finish", finishReason: "length", turn: "half" }]));
  assertEquals([cut.stoppedBy, cut.finishReason], ["finish", "length"]);
});

Deno.test("agentLoop() hands calls of manual tools back, after the other calls have run", async () => {
  const calls = [call("a", "own"), call("b", "echo"), call("c", "own"), call("d", "ghost")];
  const result = await run(scripted(calling(...calls)), { manualTools: ["own"] });
  assertEquals([result.stoppedBy, result.finalText], ["tool_calls", ""]);
  assertEquals(result.pendingCalls, calls.filter(({ name }) => name === "own"));
  assertEquals(result.conversation.map((line) => line.slice(0, 12)), [
    ...["hi", "assistant: a", "b: {}", 'd: {"error":'],
  ]);
  const alone = await run(scripted(calling(call("a", "own"))), { manualTools: ["own"] });
  assertEquals(alone.conversation, ["hi", "assistant: a"]);
  assertEquals(alone.pendingCalls.length, 1);
});

Deno.test("agentLoop() returns every call if all tools are manual, and runs none", async () => {
  const calls = [call("a", "own"), call("b", "echo"), call("c", "ghost")];
  const result = await run(scripted(calling(...calls)), { manualTools: true });
  assertEquals([result.stoppedBy, result.pendingCalls], ["tool_calls", calls]);
  assertEquals(result.conversation, ["hi", "assistant: a b c"]);
});

Deno.test("agentLoop() reports a tool without a handler to the model, and continues", async () => {
  for (const manualTools of [undefined, [], ["other"]]) {
    const model = scripted(calling(call("a", "own")), saying("done"));
    const { finalText, pendingCalls, steps, stoppedBy } = await run(model, { manualTools });
    assertEquals([stoppedBy, finalText, pendingCalls], ["finish", "done", []]);
    assertEquals(steps[0]?.results.map(({ output }) => output), [{
      error: {
        code: "tool_handler_not_found",
        message: 'There is no handler for a tool named "own"',
      },
    }]);
  }
});

Deno.test("agentLoop() sums usage over steps; a later report of a turn replaces its former", async () => {
  const used = (inputTokens: number, outputTokens: number) => ({
    type: "usage" as const,
    usage: { ...NO_USAGE, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  });
  const result = await run(
    scripted([used(9, 0), used(10, 2), ...calling(call("a", "echo"))], [
      ...saying("x"),
      used(5, 1),
    ]),
  );
  assertEquals(result.usage, { ...NO_USAGE, inputTokens: 15, outputTokens: 3, totalTokens: 18 });
  assertEquals(result.steps.map(({ usage }) => usage?.totalTokens), [12, 6]);
});

Deno.test("agentLoop() relaxes a forced tool choice after each turn that calls", async () => {
  const model = scripted(calling(call("a", "echo")), calling(call("b", "echo")), saying("x"));
  await run(model, {
    conversation: ["force"],
    prepareStep: ({ step, conversation }) => step === 1 ? ["force", ...conversation] : undefined,
  });
  assertEquals(model.requests.map(({ conversation }) => conversation.slice(0, 2)), [
    ["force"],
    ["force", "auto"],
    ["auto", "auto"],
  ]);
  const plain = await run(scripted(saying("x")), { conversation: ["force"] });
  assertEquals(plain.conversation, ["force", "assistant: x"]);
});

Deno.test("agentLoop() stops when the caller's condition holds, but an answer stays one", async () => {
  const counts: number[] = [];
  const stopWhen = (steps: readonly unknown[]) => counts.push(steps.length) === 2;
  const turn = calling(call("a", "echo"));
  const stopped = await run(scripted(turn, turn, turn), { stopWhen });
  assertEquals([stopped.stoppedBy, stopped.steps.length, counts], ["stop_when", 2, [1, 2]]);
  assertEquals((await run(scripted(saying("x")), { stopWhen: () => true })).stoppedBy, "finish");
  const both = await run(scripted(turn), { stopWhen: () => Promise.resolve(true), maxSteps: 1 });
  assertEquals(both.stoppedBy, "stop_when");
});

Deno.test("agentLoop() asks the budget before each turn, and a refusal is not an answer", async () => {
  const requests: unknown[] = [];
  const refusal = { message: "The wallet is empty", detail: 402 };
  const model = scripted(calling(call("a", "echo")), saying("never asked"));
  const result = await run(model, {
    budget: {
      refuse({ step, usage, conversation }) {
        requests.push([step, usage.totalTokens, conversation.length]);
        return step === 1 ? refusal : undefined;
      },
    },
  });
  assertEquals(requests, [[0, 0, 1], [1, 0, 3]]);
  assertEquals([result.stoppedBy, result.refusal, result.finalText], ["budget", refusal, ""]);
  assertEquals([model.requests.length, result.steps.length], [1, 1]);
  const first = await run(model, { budget: { refuse: () => Promise.resolve(refusal) } });
  assertEquals([first.stoppedBy, first.steps.length, first.finishReason], ["budget", 0, undefined]);
});

Deno.test("agentLoop() tells its hooks before it yields, and waits for them", async () => {
  const received: string[] = [];
  const tell = (what: string) => Promise.resolve().then(() => void received.push(what));
  await run(
    scripted([{ type: "text_delta", text: "hm" }, ...calling(call("a", "echo"))], saying("done")),
    {
      onTextDelta: (text) => tell(text),
      onIntermediateText: (text) => tell(`(${text})`),
      onToolResult: ({ call }) => tell(call.id),
      onStep: ({ index }) => tell(`step ${index}`),
    },
  );
  assertEquals(received, ["(hm)", "a", "step 0", "done", "step 1"]);
});

Deno.test("agentLoop() refuses invalid limits, and two tools of one name", () => {
  const options = { conversation: [], surface, model: scripted() };
  for (
    const limits of [
      { maxSteps: -1 },
      { maxSteps: 1.5 },
      { maxSteps: NaN },
      { toolTimeoutMs: NaN },
      { maxToolCallsPerStep: 0 },
      { maxParallelToolCalls: Infinity },
      { maxArgumentChars: NaN },
      { maxResultChars: -5 },
    ]
  ) {
    const [name] = Object.keys(limits);
    assertThrows(() => agentLoop({ ...options, ...limits }), RangeError, name);
  }
  assertThrows(() => agentLoop({ ...options, tools: [echo, echo] }), TypeError, '"echo"');
});
