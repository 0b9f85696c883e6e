import { assertEquals, assertRejects } from "@std/assert";
import { type ResponseRunResult, RunError, ServiceConnectionError, tool } from "../mod.ts";
import { silent } from "../silent_service_test.ts";
import { call, eventsOf, message, resource, scripted, sse } from "./script_test.ts";

const double = tool({
  name: "double",
  description: "Doubles a number",
  parameters: { type: "object", properties: { n: { type: "number" } } },
  execute: ({ n = 0 }) => 2 * n,
});
const REASONING = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm" }],
};
const EVENTS = eventsOf(resource([REASONING, message("Hello"), call("double")]));
/** Every way to break such a stream off, with the words of an end and without. */
const CUTS = EVENTS.flatMap((_, at) =>
  ["", "data: [DONE]\n\n"].map((end) => ({ events: EVENTS.slice(0, at), end }))
);

Deno.test("a stream that is cut, after whichever event, is never an answer", async () => {
  for (const { events, end } of CUTS) {
    const { client } = scripted([sse(events, end)]);
    const seen: unknown[] = [];
    const stream = client.responses.stream({ input: "Hi" });
    await assertRejects(async () => {
      for await (const event of stream) seen.push(event);
    }, ServiceConnectionError);
    assertEquals<unknown[]>(seen, events);
    await assertRejects(() => stream.final(), ServiceConnectionError);
  }
});

Deno.test("a stream whose last event lacks its blank line is whole", async () => {
  const whole = EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  for (const missing of [1, 2]) {
    const { client } = scripted([new Response(whole.slice(0, -missing))]);
    assertEquals((await client.responses.stream({ input: "Hi" })).output_text, "Hello");
  }
  const { client } = scripted([new Response(whole.slice(0, -3))]);
  await assertRejects(
    () => client.responses.stream({ input: "Hi" }).final(),
    ServiceConnectionError,
  );
});

Deno.test("a run that is cut in its second turn can be sent again", async () => {
  for (const { events, end } of CUTS) {
    const { client, sent } = scripted([
      ...[resource([call("double")]), sse(events, end), resource([message("Done")])],
    ], { tools: [double] });
    const run = client.responses.runStream({ input: "Hi" });
    const error = await assertRejects(() => run.final(), RunError);
    const { input, stoppedBy, unfinished } = error.result as ResponseRunResult;
    assertEquals([input.map(({ type }) => type), stoppedBy, unfinished?.results], [
      ...[["message", "function_call", "function_call_output"], "error", []],
    ]);
    const { finalText } = await client.responses.run({ input });
    assertEquals([finalText, sent[2]?.input], ["Done", input]);
  }
});

Deno.test("a stream that is left, after whichever event, ends the call", async () => {
  for (let at = 0; at < EVENTS.length; at++) {
    for (const how of ["stream", "runStream"] as const) {
      const { client, calls } = silent(EVENTS.slice(0, at + 1));
      let remaining = at;
      for await (const { type } of client.responses[how]({ input: "Hi" })) {
        // A run's own events come beside those of the stream.
        if ((how === "stream" || type === "chunk") && remaining-- === 0) break;
      }
      assertEquals(calls.map(({ aborted }) => aborted), [true]);
    }
  }
});

Deno.test("a signal ends a call while its service is silent", async () => {
  for (const how of ["stream", "runStream"] as const) {
    const { client, calls } = silent(EVENTS.slice(0, 1));
    const controller = new AbortController();
    const stream = client.responses[how]({ input: "Hi" }, { signal: controller.signal });
    const events = stream[Symbol.asyncIterator]();
    // Those of a run: its step begins, then there is the event.
    for (let at = how === "stream" ? 1 : 2; at > 0; at--) await events.next();
    const reason = new Error("Enough");
    const waiting = events.next().catch((error: unknown) => error);
    controller.abort(reason);
    assertEquals([await waiting, calls.map(({ aborted }) => aborted)], [reason, [true]]);
    assertEquals(await assertRejects(() => stream.final()), reason);
  }
});

Deno.test("a stream without a reader sends nothing", () => {
  const { client, calls } = silent([]);
  client.responses.stream({ input: "Hi" });
  client.responses.runStream({ input: "Hi" }).abort();
  assertEquals(calls, []);
});

Deno.test("a run that is left while a tool works stops the tool", async () => {
  const { client } = scripted([resource([call("wait")])]);
  const started = Promise.withResolvers<AbortSignal>();
  const execute = (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    started.resolve(signal);
    return new Promise<string>((resolve) => {
      signal.addEventListener("abort", () => resolve("stopped"));
    });
  };
  const run = client.responses.runStream({ input: "Hi" }, {
    tools: [{ name: "wait", parameters: { type: "object" }, execute }],
  });
  const events = run[Symbol.asyncIterator]();
  while ((await events.next()).value?.type !== "finish");
  const waiting = events.next();
  const signal = await started.promise;
  assertEquals(signal.aborted, false);
  await events.return?.();
  assertEquals(signal.aborted, true);
  await waiting.catch(() => {});
  await assertRejects(() => run.final(), DOMException, "ended the stream");
});
