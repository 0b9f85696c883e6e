import { assertEquals } from "@std/assert";
import { agentLoop } from "./loop.ts";
import type { LoopOptions } from "./options.ts";
import { call, calling, type Event, type Lines, saying, scripted, surface } from "./script_test.ts";

const text = (text: string): Event => ({ type: "text_delta", text });
const delta: Event = { type: "tool_call_delta", index: 0, arguments: "{" };

/** Everything that a run tells, in order: events by their types, texts by the callback's name. */
async function toldBy(
  turns: readonly (readonly (Event | (() => unknown))[])[],
  options: Partial<LoopOptions<Lines>> = {},
): Promise<string[]> {
  const received: string[] = [];
  const loop = agentLoop<Lines>({
    ...{ conversation: ["hi"], surface, model: scripted(...turns) },
    onTextDelta: (text) => received.push(`final ${text}`),
    onIntermediateText: (text) => received.push(`aside ${text}`),
    ...options,
  });
  for await (const event of loop) {
    if (!["step_start", "step", "tool_result"].includes(event.type)) received.push(event.type);
  }
  return received;
}

Deno.test("text is held until the turn's end shows that it is the answer, piece by piece", async () => {
  assertEquals(await toldBy([[text("It "), ...saying("rains")]]), [
    ...["text_delta", "text_delta", "final It ", "final rains", "finish"],
  ]);
});

Deno.test("the first sign of a call makes a turn's text intermediate, before and after it", async () => {
  const turn = [text("Let me "), text("see"), delta, text("."), ...calling(call("a", "ghost"))];
  assertEquals((await toldBy([turn, saying("done")])).slice(0, -3), [
    ...["text_delta", "text_delta", "aside Let me ", "aside see", "tool_call_delta"],
    ...["aside .", "text_delta", "tool_call", "finish"],
  ]);
});

Deno.test("a turn that cannot call tools holds nothing", async () => {
  const without = { ...surface, mayCallTools: () => false };
  assertEquals(await toldBy([[text("It "), ...saying("rains")]], { surface: without }), [
    ...["final It ", "text_delta", "final rains", "text_delta", "finish"],
  ]);
});

Deno.test("a turn calls tools only if its prepared request permits it", async () => {
  const requests: unknown[] = [];
  await toldBy([saying("x")], {
    prepareStep: () => ["prepared"],
    surface: { ...surface, mayCallTools: (lines) => Boolean(requests.push(lines)) },
  });
  assertEquals(requests, [["prepared"]]);
});

Deno.test("a turn that fails tells nothing that was held", async () => {
  const fails = () => Promise.reject(new Error("broken"));
  for (const turn of [[text("half"), fails], [text("half")]]) {
    assertEquals(await toldBy([turn]), ["text_delta"]);
  }
});

Deno.test("text of a call that is handed back is intermediate, as is that of the last step", async () => {
  const turn = [text("hm"), ...calling(call("a", "own"))];
  for (const options of [{ manualTools: true }, { maxSteps: 1 }] as const) {
    assertEquals(await toldBy([turn], options), [
      ...["text_delta", "aside hm", "tool_call", "finish"],
    ]);
  }
});
