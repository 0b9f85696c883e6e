/**
 * Tool rules 7 to 13 of section 4.1, each by its number, on every surface that it speaks of: how a run
 * goes on, and what streams tell.
 *
 * @module
 */

import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects } from "@std/assert";
import { ORCHESTRATION_FINAL_TASK_ID, RunError, ServiceAPIError, ServiceClient } from "@svc/sdk";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { asking, DOUBLE, each, resultsIn, running, spy, SUM, USE_DOUBLE } from "./rules.ts";
import { says, type Sent, Stage, wireCall } from "./stage.ts";

each(
  "7: declarations stay, results come once, a forced choice is relaxed",
  running,
  async (run) => {
    const { tool, inputs } = spy();
    await using at = await Stage.open({ tools: [tool] });
    const question = { text: 'double_it with {"n": 21}', tools: [DOUBLE], force: "double_it" };
    const { steps, stoppedBy } = await run(at.client, question);
    assertEquals([steps.length, stoppedBy, inputs.length], [2, "finish", 1]);
    const [first, second] = at.sent;
    assert(first !== undefined && second !== undefined);
    assertMatch(JSON.stringify(first.body?.["tool_choice"]), /double_it/);
    assertEquals(second.body?.["tool_choice"], "auto");
    assertEquals(second.body?.["tools"], first.body?.["tools"]);
    assertEquals([resultsIn(first), resultsIn(second)], [[], ['{"doubled":42}']]);
  },
);

each("8: a later turn's failure brings what was complete", running, async (run, { stream }) => {
  await using upstream = new FakeUpstream();
  const call = wireCall("call_1", "double_it", { n: 21 });
  upstream.answer(says({ calls: [call] }, { stream }), json({ error: {} }, { status: 500 }));
  const { tool } = spy();
  await using at = await Stage.before(upstream, { tools: [tool] });
  const error = await assertRejects(() => run(at.client, USE_DOUBLE), RunError);
  assertInstanceOf(error.cause, ServiceAPIError);
  assertEquals([error.cause.status, error.message], [502, error.cause.message]);
  const { billing, input, messages = input, steps, stoppedBy } = Object(error.result);
  assertEquals([steps.length, stoppedBy, billing.charged], [1, "error", "0.020000"]);
  assertEquals(steps[0].results[0].text, '{"doubled":42}');
  assertMatch(JSON.stringify(messages.at(-1)), /doubled/);
});

/** A call as its provider signs it, in both of the places that are in use. */
function signedCall(turn: number) {
  return {
    ...wireCall(`call_${turn}`, "double_it", { n: turn }),
    extra_content: { google: { thought_signature: `Eq${turn}+/9kz==` }, other: [turn] },
    thought_signature: `top-${turn}-Level==`,
  };
}

/** True when a request has both signatures of a call: the gateway would add lost ones again. */
function isSignedIn({ body }: Sent, turn: number): boolean {
  const text = JSON.stringify(body);
  return text.includes(`"Eq${turn}+/9kz=="`) && text.includes(`"top-${turn}-Level=="`);
}

each("9: a manual loop goes on with the calls as they came", asking, async (ask, { stream }) => {
  await using upstream = new FakeUpstream();
  upstream.answer(
    says({ calls: [signedCall(1)] }, { stream }),
    says({ text: "42" }, { stream: false }),
  );
  await using at = await Stage.before(upstream);
  const answer = await ask(at.client, { ...USE_DOUBLE, tools: [DOUBLE] });
  const [call] = answer.calls;
  assert(call !== undefined);
  const after = await answer.goOn({ [call.id]: "42" }).create(at.client);
  assertEquals([after.text, isSignedIn(at.last, 1)], ["42", true]);
  const { messages } = JSON.parse(upstream.last.text);
  assertEquals(messages[1].tool_calls, [signedCall(1)]);
  assertEquals(messages[2], { role: "tool", tool_call_id: call.id, content: "42" });
});

each("9: five turns of a run keep every call as it came", running, async (run, { stream }) => {
  await using upstream = new FakeUpstream();
  const turns = [1, 2, 3, 4, 5];
  const calls = turns.map((turn) => signedCall(turn));
  upstream.answer(
    ...calls.map((call) => says({ calls: [call] }, { stream })),
    says({ text: "Done" }, { stream }),
  );
  const { tool, inputs } = spy();
  await using at = await Stage.before(upstream, { tools: [tool] });
  const { finalText, steps } = await run(at.client, USE_DOUBLE);
  assertEquals([finalText, steps.length, inputs.length], ["Done", 6, 5]);
  assertEquals(turns.map((turn) => isSignedIn(at.last, turn)), turns.map(() => true));
  const { messages } = JSON.parse(upstream.last.text);
  const echoed = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  assertEquals(echoed, calls);
});

each("10: runs tell text and results as they come, and end with all", running, async (run) => {
  await using at = await Stage.open();
  const notes: string[] = [];
  const results: string[] = [];
  const { finalText, steps } = await run(at.client, SUM, {
    onTextDelta: (text) => void notes.push(text),
    onToolResult: ({ call }) => void results.push(call.name),
  });
  assertMatch(finalText, /391/);
  assertEquals(notes.join(""), finalText);
  assertEquals([results, steps.length], [["calculator"], 2]);
});

/** A client of a service that streams these chunks. */
function streaming(...chunks: readonly Readonly<Record<string, unknown>>[]): ServiceClient {
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  const body = frames.map((frame) => `data: ${frame}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  return new ServiceClient({
    apiKey: "svc_live_key",
    fetch: () => Promise.resolve(new Response(body, { headers })),
  });
}

/** A chunk of an orchestrated answer. */
function taskChunk(task_id: string, content: string, finish_reason: string | null = null) {
  const choices = [{ index: 0, delta: { role: "assistant", content }, finish_reason }];
  return { id: "c", choices, orchestration: { task_id, title: task_id } };
}

const ORCHESTRATED = [
  taskChunk("a", "looked up "),
  taskChunk("b", "reckoned "),
  taskChunk(ORCHESTRATION_FINAL_TASK_ID, "The "),
  taskChunk(ORCHESTRATION_FINAL_TASK_ID, "answer", "stop"),
];
const MESSAGES = [{ role: "user", content: "Hi" }];

each("10: text beside calls is separate from the answer", running, async (run, { stream }) => {
  await using upstream = new FakeUpstream();
  const calls = [wireCall("call_1", "double_it", { n: 21 })];
  upstream.answer(
    says({ text: "Let me see", calls }, { stream }),
    says({ text: "It is 42" }, { stream }),
  );
  const { tool } = spy();
  await using at = await Stage.before(upstream, { tools: [tool] });
  const texts = { final: "", aside: "" };
  const { finalText } = await run(at.client, USE_DOUBLE, {
    onTextDelta: (text) => void (texts.final += text),
    onIntermediateText: (text) => void (texts.aside += text),
  });
  assertEquals([texts, finalText], [{ final: "It is 42", aside: "Let me see" }, "It is 42"]);
});

Deno.test("10: onTextDelta tells text of the final answer only", async () => {
  const notes: string[] = [];
  const { completions } = streaming(...ORCHESTRATED).chat;
  const { finalText } = await completions.runStream({ messages: MESSAGES }, {
    onTextDelta: (text) => void notes.push(text),
  });
  assertEquals([notes, finalText], [["The ", "answer"], "The answer"]);
});

Deno.test("11: chunks of every task come through; the final task's are the reply", async () => {
  const stream = streaming(...ORCHESTRATED).chat.completions.stream({ messages: MESSAGES });
  const all: unknown[] = [];
  let reply = "";
  for await (const chunk of stream) {
    const [{ delta } = { delta: undefined }] = chunk.choices;
    all.push(delta?.content);
    if (chunk.orchestration?.task_id === ORCHESTRATION_FINAL_TASK_ID) reply += delta?.content;
  }
  assertEquals(all, ["looked up ", "reckoned ", "The ", "answer"]);
  assertEquals([reply, (await stream).choices[0]?.message.content], ["The answer", "The answer"]);
});

Deno.test("12: chunks without choices are kept with an empty list; usage follows from the bill", async () => {
  const counts = { input_tokens: 3, cached_input_tokens: 1, output_tokens: 2, total_tokens: 5 };
  const billing = { charged: "0.000001", currency: "credits", estimated: false, ...counts };
  const choice = { delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" };
  const stream = streaming(
    { id: "c", choices: [{ index: 0, ...choice }] },
    { id: "c", choices: null },
    { id: "c", metadata: { request_id: "req-1", billing } },
  ).chat.completions.stream({ messages: MESSAGES });
  const chunks = await Array.fromAsync(stream);
  assertEquals(chunks.map(({ choices }) => choices.length), [1, 0, 0]);
  const { requestId, usage } = await stream;
  assertEquals([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [3, 2, 5]);
  assertEquals([usage?.prompt_tokens_details?.cached_tokens, requestId], [1, "req-1"]);
});

Deno.test("13: an upstream of OpenAI's wire gets no member that only Messages know", async () => {
  await using upstream = new FakeUpstream();
  upstream.answer(says({ text: "Sorry" }, { stream: false }));
  await using at = await Stage.before(upstream);
  const { content } = await at.client.messages.create({
    ...{ max_tokens: 50, top_k: 5 },
    tools: [{ name: "double_it", input_schema: DOUBLE.parameters }],
    messages: [
      { role: "user", content: "Double 21" },
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "double_it", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "1", content: "No n", is_error: true }],
      },
    ],
  });
  assertEquals(content.length, 1);
  const { messages, ...sent } = JSON.parse(upstream.last.text);
  assertEquals(messages.at(-1), { role: "tool", tool_call_id: "1", content: "Error: No n" });
  assertEquals(["top_k", "extra_content"].filter((name) => name in sent), []);
});

Deno.test("13: Messages go out as Chat Completions; tool_choice is mapped", async () => {
  await using at = await Stage.open();
  const request = {
    system: "Be brief",
    messages: [{ role: "user" as const, content: "Say hello" }],
    tools: [{ name: "double_it", input_schema: DOUBLE.parameters }],
    max_tokens: 100,
  };
  const choices = [
    [{ type: "auto" }, "auto"],
    [{ type: "any" }, "required"],
    [{ type: "none" }, "none"],
    [{ type: "tool", name: "double_it" }, { type: "function", function: { name: "double_it" } }],
  ] as const;
  for (const [tool_choice, mapped] of choices) {
    await at.client.messages.create({ ...request, tool_choice });
    assertEquals(at.last.body?.["tool_choice"], mapped);
  }
  await at.client.messages.create({
    ...request,
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  });
  assertEquals(at.last.body?.["parallel_tool_calls"], false);
  assertEquals(at.last.url.pathname, "/openai/v1/chat/completions");
  assertEquals([...at.last.headers.keys()].filter((name) => name.includes("anthropic")), []);
  assertEquals(at.last.body?.["messages"], [
    { role: "system", content: "Be brief" },
    { role: "user", content: "Say hello" },
  ]);
});
