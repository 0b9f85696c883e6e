import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { agentLoop, drain } from "./loop.ts";
import type { LoopOptions } from "./options.ts";
import type { LoopToolCall } from "./model_events.ts";
import { systemClock } from "./ports.ts";
import {
  call,
  calling,
  type Lines,
  never,
  scripted,
  settled,
  StillClock,
  surface,
  toolNamed,
  untilAborted,
} from "./script_test.ts";
import { cutText } from "./tool_result.ts";

/** Results of one turn with these calls. */
async function results(
  calls: LoopToolCall<Lines>[],
  options: Partial<LoopOptions<Lines>>,
) {
  const model = scripted(calling(...calls));
  const result = await drain(agentLoop({ conversation: [], surface, model, ...options }));
  // Whatever tools do, the loop goes on to the model's answer.
  assertEquals([result.stoppedBy, result.finalText, result.steps.length], ["finish", "done", 2]);
  return result.steps[0]?.results ?? [];
}

function codes(outcomes: Awaited<ReturnType<typeof results>>): unknown[] {
  return outcomes.map(({ isError, text }) => isError ? JSON.parse(text).error.code : text);
}

Deno.test("tools run concurrently, within the bound, and results keep the order of calls", async () => {
  let running = 0;
  const peaks: number[] = [];
  const ends: string[] = [];
  const slow = toolNamed("slow", async (input, { toolCallId }) => {
    peaks.push(++running);
    for (let at = 0; at < Number(input); at++) await settled();
    running--;
    ends.push(toolCallId);
    return toolCallId;
  });
  const calls = [4, 1, 3, 1, 2].map((waits, at) => call(`c${at}`, "slow", waits));
  const received: string[] = [];
  const outcomes = await results(calls, {
    tools: [slow],
    maxParallelToolCalls: 2,
    onToolResult: ({ call }) => void received.push(call.id),
  });
  assertEquals(Math.max(...peaks), 2);
  assertEquals(codes(outcomes), ["c0", "c1", "c2", "c3", "c4"]);
  assertEquals(received, ["c0", "c1", "c2", "c3", "c4"]);
  assert(ends[0] !== "c0", "The slowest was not overtaken");
});

Deno.test("an unknown name is a result for the model, for any name", async () => {
  const names = ["ghost", "__proto__", "constructor", "", "x".repeat(1_000)];
  const outcomes = await results(names.map((name) => call(name, name)), {});
  assertEquals(codes(outcomes), names.map(() => "tool_handler_not_found"));
  assert(outcomes.every(({ text }) => text.length < 200));
});

Deno.test("arguments: invalid or too long is a result, empty is an empty object", async () => {
  const inputs: unknown[] = [];
  const tools = [toolNamed("take", (input) => void inputs.push(input))];
  const texts = ["", "  ", '{"a":1}', "7", "{", '{"a":"secret', "x".repeat(21)];
  const outcomes = await results(texts.map((text, at) => call(`${at}`, "take", text)), {
    tools,
    maxArgumentChars: 20,
  });
  const bad = "invalid_tool_arguments";
  assertEquals(codes(outcomes), ["null", "null", "null", "null", bad, bad, bad]);
  assertEquals(inputs, [{}, {}, { a: 1 }, 7]);
  assert(!outcomes.some(({ text }) => text.includes("secret")));
});

Deno.test("no call of a cut turn runs without the arguments it did not get", async () => {
  const take = toolNamed("take", (input) => input);
  const model = scripted([
    ...calling(call("a", "take", { n: 1 }), call("b", "take", "")).slice(0, 2),
    { type: "finish", finishReason: "length", turn: "cut" },
  ]);
  const result = await drain(agentLoop({ conversation: [], surface, model, tools: [take] }));
  assertEquals(codes([...result.steps[0]?.results ?? []]), ['{"n":1}', "invalid_tool_arguments"]);
  assertEquals(result.steps[0]?.finishReason, "length");
});

Deno.test("a tool that throws is a result without its words, but for a ToolError", async () => {
  const secret = new Error("postgres://user:secret@host");
  const tools = [
    toolNamed("sync", () => {
      throw secret;
    }),
    toolNamed("async", () => Promise.reject("secret")),
    toolNamed("told", () => {
      throw Object.assign(new Error("No such file: a.txt"), { name: "ToolError", code: "no_file" });
    }),
    toolNamed("plain", () => {
      throw Object.assign(new Error("Not today"), { name: "ToolError" });
    }),
  ];
  const outcomes = await results(tools.map(({ name }) => call(name, name)), { tools });
  assertEquals(codes(outcomes), ["tool_failed", "tool_failed", "no_file", "tool_failed"]);
  assert(!outcomes.some(({ text }) => /secret|\bat /.test(text)));
  assertEquals(outcomes.slice(0, 2).map(({ cause }) => cause), [secret, "secret"]);
  assertEquals(outcomes[2]?.output, { error: { code: "no_file", message: "No such file: a.txt" } });
});

Deno.test("a tool that takes too long is stopped, by its own limit or the loop's", async () => {
  const clock = new StillClock();
  const reasons: string[] = [];
  const wait = (_: unknown, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => reasons.push(String(signal.reason.name)));
    return untilAborted({ signal });
  };
  const tools = [
    { ...toolNamed("own_limit", wait), timeoutMs: 10 },
    toolNamed("deaf", never),
    { ...toolNamed("unlimited", () => clock.timers.size), timeoutMs: 0 },
  ];
  const pending = results(tools.map(({ name }) => call(name, name)), {
    tools,
    clock,
    toolTimeoutMs: 20,
  });
  await settled();
  clock.pass(10);
  await settled();
  assertEquals([...clock.timers.values()], [20]);
  clock.pass(20);
  const outcomes = await pending;
  assertEquals(codes(outcomes), ["tool_timeout", "tool_timeout", "2"]);
  assertStringIncludes(outcomes[0]?.text ?? "", "10 ms");
  assertEquals(reasons, ["TimeoutError"]);
  assertEquals(clock.timers.size, 0);
});

Deno.test("calls beyond the limit of a turn are answered, not run", async () => {
  let runs = 0;
  const tools = [toolNamed("count", () => ++runs)];
  const calls = ["a", "b", "c", "d"].map((id) => call(id, "count"));
  const outcomes = await results(calls, { tools, maxToolCallsPerStep: 2 });
  assertEquals(codes(outcomes), ["1", "2", "too_many_tool_calls", "too_many_tool_calls"]);
  assertEquals(runs, 2);
});

Deno.test("results are text or JSON, cut with a label, or an error where they are neither", async () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const values = ["text", { a: [1] }, undefined, null, () => {}, circle, 1n, "x".repeat(31)];
  const tools = values.map((value, at) => toolNamed(`t${at}`, () => value));
  const outcomes = await results(tools.map(({ name }) => call(name, name)), {
    tools,
    maxResultChars: 30,
  });
  const invalid = "invalid_tool_result";
  assertEquals(codes(outcomes), [
    ...["text", '{"a":[1]}', "null", "null", "null", invalid, invalid],
    `${"x".repeat(30)}\n[Cut: these are the first 30 of 31 characters]`,
  ]);
  assertEquals(outcomes.map(({ isCut }) => isCut), values.map((_, at) => at === 7));
  assertEquals(outcomes[7]?.output, "x".repeat(31));
  assertEquals(cutText("a😀b", 2), "a\n[Cut: these are the first 1 of 4 characters]");
});

Deno.test("half a character of a result is replaced: providers refuse the whole request for it", async () => {
  const emoji = toolNamed("emoji", () => "smile 😀".slice(0, 7));
  const [outcome] = await results([call("a", "emoji")], { tools: [emoji] });
  assertEquals([outcome?.text, outcome?.isCut, outcome?.isError], [
    "smile \ufffd",
    false,
    false,
  ]);
});

Deno.test("bytes are refused as a result: as JSON they would be an object of numbers", async () => {
  const bytes = [new Uint8Array(9), new ArrayBuffer(9), new DataView(new ArrayBuffer(9))];
  for (const returned of bytes) {
    const read = toolNamed("read", () => returned);
    const [outcome] = await results([call("a", "read")], { tools: [read] });
    assertEquals(codes(outcome === undefined ? [] : [outcome]), ["invalid_tool_result"]);
    assertStringIncludes(outcome?.text ?? "", "bytes");
  }
});

Deno.test("a tool is called as a method, with the id of its call", async () => {
  const tool = {
    ...toolNamed("greet"),
    greeting: "Hello",
    execute(_: unknown, { toolCallId }: { toolCallId: string }) {
      return `${this.greeting} ${toolCallId}`;
    },
  };
  assertEquals(codes(await results([call("a", "greet")], { tools: [tool] })), ["Hello a"]);
});

Deno.test("systemClock goes off after the time, and not where it was stopped", () => {
  using time = new FakeTime();
  const passed: string[] = [];
  const stop = systemClock.startTimer(10, () => passed.push("stopped"));
  const stopLong = systemClock.startTimer(Infinity, () => passed.push("too early"));
  systemClock.startTimer(10, () => passed.push("due"));
  stop();
  time.tick(9);
  assertEquals(passed, []);
  time.tick(24 * 60 * 60 * 1_000);
  assertEquals(passed, ["due"]);
  stopLong();
  assertEquals(time.next(), false);
});
