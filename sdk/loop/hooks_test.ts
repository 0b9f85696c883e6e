import { assertEquals } from "@std/assert";
import { agentLoop, drain } from "./loop.ts";
import { call, calling, saying, scripted, surface, toolNamed } from "./script_test.ts";

Deno.test("a hook's return value is ignored: many write, or push, in one expression", async () => {
  for (const answer of [5, true, null, "text", {}, { then: 5 }, undefined]) {
    const received: unknown[] = [];
    const hook = (about: unknown) => {
      received.push(about);
      return answer;
    };
    const hooks = { onTextDelta: hook, onToolResult: hook, onStep: hook };
    const model = scripted(calling(call("a", "echo")), saying("done"));
    const tools = [toolNamed("echo", (input) => input)];
    const loop = agentLoop({ conversation: ["hi"], surface, model, tools, ...hooks });
    const { finalText, stoppedBy } = await drain(loop);
    assertEquals([stoppedBy, finalText, received.length], ["finish", "done", 4]);
  }
});

Deno.test("hooks compile that answer with a number, or with a truth value", async () => {
  const pieces: string[] = [];
  const loop = agentLoop({
    ...{ conversation: ["hi"], surface, model: scripted(saying("done")) },
    onTextDelta: (text) => pieces.push(text),
    onStep: ({ text }) => pieces.includes(text),
  });
  await drain(loop);
  assertEquals(pieces, ["done"]);
});

Deno.test("a hook that answers with a promise is waited for", async () => {
  const order: string[] = [];
  const hook = (about: string) => async () => {
    await Promise.resolve();
    order.push(about);
  };
  const model = scripted(calling(call("a", "echo")), saying("done"));
  const loop = agentLoop({
    ...{ conversation: ["hi"], surface, model, tools: [toolNamed("echo", (input) => input)] },
    ...{ onTextDelta: hook("text"), onToolResult: hook("result"), onStep: hook("step") },
  });
  for await (const { type } of loop) order.push(type);
  assertEquals(order, [
    ...["step_start", "tool_call", "finish", "result", "tool_result", "step", "step"],
    ...["step_start", "text_delta", "text", "finish", "step", "step"],
  ]);
});
