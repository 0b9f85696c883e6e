import { assert, assertEquals, assertRejects } from "@std/assert";
import { type MessageRunResult, RunError, ServiceConnectionError } from "../mod.ts";
import { type Reply, scripted } from "../scripted_service_test.ts";
import { silent } from "../silent_service_test.ts";

type Fields = Readonly<Record<string, unknown>>;

const MESSAGES = [{ role: "user" as const, content: "Hi" }];
const double = {
  name: "double",
  parameters: { type: "object" },
  execute: (input: unknown) => 2 * Object(input).n,
};

/** A chunk of the answer. */
function chunk(delta: Fields, finish_reason: string | null = null): Fields {
  return { id: "c", model: "m", choices: [{ index: 0, delta, finish_reason }] };
}

/** A piece of one tool call. */
function piece(more: Fields, named: Fields): Fields {
  return chunk({ tool_calls: [{ index: 0, ...more, function: named }] });
}

const CALL = [
  chunk({ role: "assistant", reasoning_content: "Hm" }),
  chunk({ content: "Let me" }),
  piece({ id: "1", type: "function" }, { name: "double", arguments: '{"n"' }),
  piece({ thought_signature: "c2ln" }, { arguments: ":21}" }),
  chunk({}, "tool_calls"),
];
const ANSWER = [chunk({ role: "assistant", content: "It is 42" }), chunk({}, "stop")];

function sse(chunks: readonly Fields[], end = "data: [DONE]\n\n"): Reply {
  const frames = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`);
  return () => new Response(frames.join("") + end);
}

/** Every way to break the call off: before its last chunk, or before the words of its end. */
const CUTS = [
  ...CALL.flatMap((_, at) => [sse(CALL.slice(0, at), ""), sse(CALL.slice(0, at))]),
  sse(CALL, ""),
];

Deno.test("a stream that is cut, after whichever chunk, is never an answer", async () => {
  for (const cut of CUTS) {
    const { client } = scripted(cut);
    const stream = client.messages.stream({ messages: MESSAGES });
    const types: string[] = [];
    await assertRejects(async () => {
      for await (const { type } of stream) types.push(type);
    }, ServiceConnectionError);
    assert(!types.includes("message_delta") && !types.includes("message_stop"));
    await assertRejects(() => stream.final(), ServiceConnectionError);
  }
});

Deno.test("a run that is cut in its second turn can be sent again", async () => {
  for (const cut of CUTS) {
    const script = [sse(CALL), cut, sse(ANSWER)];
    const { client, sent } = scripted(script, { tools: [double] });
    const run = client.messages.runStream({ messages: MESSAGES });
    const error = await assertRejects(() => run.final(), RunError);
    const { messages, stoppedBy } = error.result as MessageRunResult;
    assertEquals([messages.length, stoppedBy], [3, "error"]);
    const { finalText } = await client.messages.runStream({ messages });
    assertEquals([finalText, sent[2]?.text], ["It is 42", sent[1]?.text]);
  }
});

Deno.test("a stream that is left, after whichever event, ends the call", async () => {
  // The message begins, thinking begins, goes on and ends, text begins and goes on.
  for (let at = 0; at < 6; at++) {
    for (const how of ["stream", "runStream"] as const) {
      const { client, calls } = silent(CALL.slice(0, -1));
      let remaining = at;
      for await (const { type } of client.messages[how]({ messages: MESSAGES })) {
        if ((how === "stream" || type === "chunk") && remaining-- === 0) break;
      }
      assertEquals(calls.map(({ aborted }) => aborted), [true]);
    }
  }
});

Deno.test("a signal ends a call while its service is silent", async () => {
  for (const how of ["stream", "runStream"] as const) {
    const { client, calls } = silent(CALL.slice(0, 1));
    const controller = new AbortController();
    const stream = client.messages[how]({ messages: MESSAGES }, { signal: controller.signal });
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    const reason = new Error("Enough");
    const waiting = (async () => {
      while (!(await events.next()).done);
    })().catch((error: unknown) => error);
    // Everything that came is read by then: what it waits for will not come.
    await new Promise((resolve) => setTimeout(resolve));
    controller.abort(reason);
    assertEquals([await waiting, calls.map(({ aborted }) => aborted)], [reason, [true]]);
    assertEquals(await assertRejects(() => stream.final()), reason);
  }
});

Deno.test("a stream without a reader sends nothing", () => {
  const { client, calls } = silent([]);
  client.messages.stream({ messages: MESSAGES });
  client.messages.runStream({ messages: MESSAGES }).abort();
  assertEquals(calls, []);
});
