import { assertEquals, assertFalse, assertRejects, assertStrictEquals } from "@std/assert";
import type { ToolContext } from "@svc/tools";
import {
  type ChatCreateRequest,
  type ChatRunResult,
  type ChatShapes,
  ConfigurationError,
  RunError,
  type RunOptions,
  ServiceAPIError,
} from "../mod.ts";
import {
  all,
  bill,
  call,
  completion,
  json,
  MESSAGES,
  metadata,
  type Reply,
  scripted,
  type Sent,
  sse,
  streamOf,
} from "../scripted_service_test.ts";

type Method = "run" | "runStream";
type Turn = Parameters<typeof completion>;
type Options = RunOptions<ChatShapes>;

const QUESTION = { messages: MESSAGES };
const CALLING: Turn = [{ tool_calls: [call("call_1", "weather", { city: "Oslo" })] }];
const DONE: Turn = [{ content: "It rains" }];
const weather = { name: "weather", parameters: {}, execute: () => "rain" };
const TOOLS = { tools: [weather] };

/** A run over these turns, whole or streamed as the method has it, and what it sends. */
function run(
  method: Method,
  turns: readonly (Turn | Reply)[],
  { request = QUESTION, ...options }: Options & { readonly request?: ChatCreateRequest } = {},
): { readonly sent: readonly Sent[]; readonly outcome: () => Promise<ChatRunResult> } {
  const replies = turns.map((turn): Reply => {
    if (typeof turn === "function") return turn;
    return method === "run" ? json(completion(...turn)) : sse(...streamOf(...turn));
  });
  const { client, sent } = scripted(replies);
  const { completions } = client.chat;
  return {
    sent,
    outcome: async () => await completions[method](request, { ...TOOLS, ...options }),
  };
}

const roleOf = ({ role }: { readonly role: string }) => role;

async function resultOf(...args: Parameters<typeof run>): Promise<ChatRunResult> {
  return await run(...args).outcome();
}

const refused = json({ error: { message: "Busy", code: "busy" } }, { status: 503 });

for (const method of ["run", "runStream"] as const) {
  Deno.test(`9: ${method} goes from turn to turn, and gives each call back whole`, async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const about = (id: string) => ({ usage, metadata: metadata(id, "0.2") });
    const tool_calls = [{
      ...call("call_1", "weather", { city: "Oslo" }),
      extra_content: { google: { thought_signature: "S==" } },
      thought_signature: "T",
    }];
    const { outcome, sent } = run(method, [
      [{ tool_calls }, about("req-1")],
      [DONE[0], about("req-2")],
    ], { request: { ...QUESTION, tool_choice: "required" } });
    const result = await outcome();
    const answer = { role: "assistant", content: null, refusal: null, tool_calls };
    const reply = { role: "tool", tool_call_id: "call_1", content: "rain" };
    const last = { role: "assistant", content: "It rains", refusal: null };
    assertEquals(result.messages.slice(1).map((one) => ({ ...one })), [
      { ...answer, ...method === "run" ? {} : { content: "" } },
      reply,
      last,
    ]);
    assertEquals(sent.map(({ json }) => [json["tool_choice"], json["model"]]), [
      ["required", "auto"],
      ["auto", "auto"],
    ]);
    assertEquals(sent[1]?.json["messages"], result.messages.slice(0, 3));
    assertEquals([result.stoppedBy, result.finishReason, result.finalText], [
      ...["finish", "stop", "It rains"],
    ]);
    assertEquals([result.usage.totalTokens, result.billing?.charged], [30, "0.400000"]);
    assertEquals([result.requestId, result.steps.length], ["req-2", 2]);
    assertEquals(result.response?.choices[0]?.message.content, "It rains");
    assertEquals([result.pendingCalls, result.unfinished], [[], undefined]);
  });

  Deno.test(`${method} with an invalid limit sends nothing`, async () => {
    const twins = { tools: [weather, weather] };
    const limits = [{ maxSteps: -1 }, { maxSteps: NaN }, { maxToolCallsPerStep: 0 }];
    for (const options of [...limits, { toolTimeoutMs: NaN }, twins]) {
      const { outcome, sent } = run(method, [DONE], options);
      await assertRejects(outcome, ConfigurationError);
      assertEquals(sent, []);
    }
  });

  Deno.test(`${method} ends when stopWhen returns true`, async () => {
    const result = await resultOf(method, [CALLING], { stopWhen: ({ length }) => length === 2 });
    assertEquals([result.stoppedBy, result.steps.length, result.finalText], ["stop_when", 2, ""]);
  });

  Deno.test(`${method} sends what prepareStep makes of a conversation`, async () => {
    const { outcome, sent } = run(method, [CALLING, DONE], {
      prepareStep: ({ conversation, step, steps }) =>
        step === 0 ? undefined : { ...conversation, temperature: steps.length },
    });
    assertEquals((await outcome()).stoppedBy, "finish");
    assertEquals(sent.map(({ json }) => json["temperature"]), [undefined, 1]);
  });

  Deno.test(`${method} sends auto also where prepareStep leaves the model out`, async () => {
    const { outcome, sent } = run(method, [CALLING, DONE], {
      prepareStep: ({ conversation: { messages } }) => ({ messages }),
    });
    await outcome();
    assertEquals(sent.map(({ json }) => json["model"]), ["auto", "auto"]);
  });

  Deno.test(`10: ${method} tells text, results and steps, in their order`, async () => {
    const seen: unknown[] = [];
    const turn: Turn = [{ ...CALLING[0], content: "Let me see. " }];
    await resultOf(method, [turn, DONE], {
      onTextDelta: (text) => void seen.push(text),
      onIntermediateText: (text) => void seen.push(`(${text})`),
      onToolResult: ({ call, text }) => void seen.push([call.name, text]),
      onStep: ({ index }) => void seen.push(index),
    });
    const texts = (text: string) => method === "run" ? [text] : [...text];
    const asides = texts("Let me see. ").map((text) => `(${text})`);
    assertEquals(seen, [...asides, ["weather", "rain"], 0, ...texts("It rains"), 1]);
  });

  Deno.test(`${method} runs calls at once, and writes results in call order`, async () => {
    const calls = ["a", "b", "c"].map((id) => call(id, "wait", { id }));
    const started: string[] = [];
    const gate = Promise.withResolvers<void>();
    const wait = {
      name: "wait",
      parameters: {},
      execute: async (input: unknown) => {
        const { id } = Object(input);
        if (started.push(id) === 3) gate.resolve();
        await gate.promise;
        // The first that was called is the last to be done.
        for (let rounds = 30; rounds > 0 && id === "a"; rounds--) await Promise.resolve();
        return `result of ${id}`;
      },
    };
    const results: string[] = [];
    const result = await resultOf(method, [[{ tool_calls: calls }], DONE], {
      tools: [wait],
      onToolResult: ({ text }) => void results.push(text),
    });
    assertEquals(started, ["a", "b", "c"]);
    assertEquals(results, ["result of a", "result of b", "result of c"]);
    assertEquals(result.messages.slice(2, 5).map((one) => one.tool_call_id), ["a", "b", "c"]);
  });

  Deno.test(`${method} stops a tool at its time limit, and tells the model`, async () => {
    let heard: unknown;
    const slow = {
      ...weather,
      execute: (_: unknown, { signal }: ToolContext) =>
        new Promise(() => signal.addEventListener("abort", () => heard = signal.reason.name)),
    };
    const result = await resultOf(method, [CALLING, DONE], { tools: [slow], toolTimeoutMs: 5 });
    assertEquals(JSON.parse(String(result.messages[2]?.content)).error.code, "tool_timeout");
    assertEquals([heard, result.stoppedBy], ["TimeoutError", "finish"]);
  });

  Deno.test(`5: ${method} continues after a tool that is unknown, fails, or is called with invalid JSON`, async () => {
    const [good] = [call("4", "weather")];
    const tool_calls = [
      call("1", "constructor"),
      call("2", "bad"),
      { ...call("3", "weather"), function: { name: "weather", arguments: "{" } },
      good,
    ];
    const bad = {
      name: "bad",
      parameters: {},
      execute: () => {
        throw new Error("secret");
      },
    };
    const result = await resultOf(method, [[{ tool_calls }], DONE], { tools: [weather, bad] });
    const codes = result.messages.slice(2, 6).map(({ content }) =>
      content === "rain" ? "rain" : JSON.parse(String(content)).error.code
    );
    assertEquals(codes, [
      "tool_handler_not_found",
      "tool_failed",
      "invalid_tool_arguments",
      "rain",
    ]);
    assertEquals(JSON.stringify(result.messages).includes("secret"), false);
  });

  Deno.test(`${method} continues with the history as it was, for any later change of it`, async () => {
    const messages = [...MESSAGES];
    const tools = [{ type: "function", function: { name: "weather" } }];
    const busy = {
      ...weather,
      execute: () => {
        messages.push({ role: "user", content: "And tomorrow?" });
        tools.length = 0;
      },
    };
    const { outcome, sent } = run(method, [CALLING, DONE], {
      request: { messages, tools },
      tools: [busy],
    });
    await outcome();
    const roles = sent.map(({ json }) => Object(json["messages"]).map(Object).map(roleOf));
    assertEquals(roles, [["user"], ["user", "assistant", "tool"]]);
    assertEquals(sent.map(({ json }) => Object(json["tools"]).length), [1, 1]);
  });

  Deno.test(`${method} answers calls without an id, each with its own`, async () => {
    const tool_calls = [call("", "weather"), call("", "weather")];
    const result = await resultOf(method, [[{ tool_calls }], [{ tool_calls }], DONE]);
    const ids = result.messages.flatMap((one) => one.tool_call_id ?? []);
    const called = result.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    assertEquals(ids, called);
    assertEquals(new Set(ids).size, 4);
  });

  Deno.test(`${method} hands a call back that the caller runs itself`, async () => {
    const tools = [weather, { name: "ask_user", parameters: {} }];
    const tool_calls = [call("1", "ask_user"), call("2", "weather")];
    const manualTools = ["ask_user"];
    const result = await resultOf(method, [[{ tool_calls }]], { tools, manualTools });
    assertEquals([result.stoppedBy, result.finalText], ["tool_calls", ""]);
    assertEquals(result.pendingCalls.map(({ raw }) => ({ ...raw })), [tool_calls[0]]);
    assertEquals(result.messages.flatMap((one) => one.tool_call_id ?? []), ["2"]);
  });

  Deno.test(`${method} ends where the budget pays for no further turn`, async () => {
    const refusal = { message: "Enough", detail: 7 };
    const budget = {
      refuse: ({ step }: { readonly step: number }) => step === 1 ? refusal : undefined,
    };
    const { outcome, sent } = run(method, [CALLING, DONE], { budget });
    const { finalText, refusal: reason, stoppedBy } = await outcome();
    assertEquals([stoppedBy, reason, finalText], ["budget", refusal, ""]);
    assertEquals(sent.length, 1);
  });

  Deno.test(`${method} whose first turn fails throws what that turn does`, async () => {
    const error = await assertRejects(run(method, [refused]).outcome, ServiceAPIError, "Busy");
    assertEquals([error.status, error.code], [503, "busy"]);
  });

  Deno.test(`8: ${method} whose later turn fails throws with everything until then`, async () => {
    const about = { metadata: metadata("req-1", "0.1") };
    const { outcome } = run(method, [[CALLING[0], about], refused]);
    const { cause, result } = await assertRejects(outcome, RunError<ChatRunResult>, "Busy");
    assertEquals(cause instanceof ServiceAPIError && cause.status, 503);
    assertEquals([result.stoppedBy, result.finalText, result.steps.length], ["error", "", 1]);
    assertEquals([result.messages.length, result.requestId], [3, "req-1"]);
    assertEquals([result.billing, "error" in result], [bill("0.1"), false]);
    // The history is whole: it can be sent again.
    assertEquals(
      (await resultOf(method, [DONE], { request: result.conversation })).finalText,
      "It rains",
    );
  });

  Deno.test(`${method} whose hook fails throws with everything until then`, async () => {
    const fault = new Error("The disk is full");
    const { outcome } = run(method, [CALLING, DONE], { onStep: () => Promise.reject(fault) });
    assertStrictEquals((await assertRejects(outcome, RunError)).cause, fault);
  });

  Deno.test(`${method} reports the finish reason of a truncated answer`, async () => {
    const choices = [{
      index: 0,
      message: { role: "assistant", content: "Hel" },
      finish_reason: "length",
    }];
    const turn = method === "run"
      ? json({ choices })
      : sse({ choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: "length" }] });
    const result = await resultOf(method, [turn]);
    assertEquals([result.stoppedBy, result.finishReason, result.finalText], [
      "finish",
      "length",
      "Hel",
    ]);
  });
}

Deno.test("runStream tells everything that happens, turn by turn", async () => {
  const { client } = scripted([sse(...streamOf(...CALLING)), sse(...streamOf({ content: "Hi" }))]);
  const types = (await all(client.chat.completions.runStream(QUESTION, TOOLS))).map(({ type }) =>
    type
  );
  assertEquals(types.filter((type) => type !== "chunk"), [
    ...["step_start", "tool_call_delta", "tool_call", "finish", "tool_result", "step"],
    ...["step_start", "text_delta", "text_delta", "finish", "step"],
  ]);
});

Deno.test("runStream that is left sends no further turn, and stops its tool", async () => {
  const { client, sent } = scripted(sse(...streamOf(...CALLING)));
  let isStopped = false;
  const started = Promise.withResolvers<void>();
  const slow = {
    ...weather,
    execute: (_: unknown, { signal }: ToolContext) => {
      started.resolve();
      return new Promise(() => signal.addEventListener("abort", () => isStopped = true));
    },
  };
  const stream = client.chat.completions.runStream(QUESTION, { tools: [slow] });
  const events = stream[Symbol.asyncIterator]();
  for (let next = await events.next(); !next.done && next.value.type !== "finish";) {
    next = await events.next();
  }
  const waiting = events.next();
  await started.promise;
  await events.return?.();
  // The tool's result, which says that it was aborted; nothing follows.
  assertEquals((await waiting).done, false);
  assertEquals((await events.next()).done, true);
  await assertRejects(() => stream.final(), DOMException, "ended the stream");
  assertEquals([sent.length, isStopped], [1, true]);
});

Deno.test("an exception of a tool belongs to the application, and is not sent on", async () => {
  const secret = { authorization: "of another service", self: {} };
  secret.self = secret;
  const pay = {
    name: "pay",
    parameters: {},
    execute: () => {
      throw secret;
    },
  };
  const paying = sse(...streamOf({ tool_calls: [call("1", "pay")] }));
  const script = [paying, sse(...streamOf({ content: "Done" }))];
  const { client } = scripted([...script, ...script], { tools: [pay] });
  const { steps } = await client.chat.completions.runStream({ messages: MESSAGES });
  assertStrictEquals(steps[0]?.results[0]?.cause, secret);
  const bytes = client.chat.completions.runStream({ messages: MESSAGES }).toReadableStream();
  const lines = (await new Response(bytes).text()).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assertEquals(lines.filter(({ type }) => type === "tool_result").length, 1);
  assertFalse(JSON.stringify(lines).includes("another service"));
});

Deno.test("a runStream that is stopped between two events has what was complete for all", async () => {
  const { client } = scripted([sse(...streamOf(...CALLING)), sse(...streamOf(...DONE))]);
  const controller = new AbortController();
  const { signal } = controller;
  const stopped = client.chat.completions.runStream(QUESTION, { ...TOOLS, signal });
  const reader = stopped[Symbol.asyncIterator]();
  while ((await reader.next()).value?.type !== "step");
  controller.abort("enough");
  const error = await assertRejects(() => stopped.final(), RunError<ChatRunResult>);
  assertEquals([error.cause, error.result.steps.length], ["enough", 1]);
  assertStrictEquals(await reader.next().catch((reason) => reason), error);
});
