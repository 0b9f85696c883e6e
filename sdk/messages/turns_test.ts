import { assertEquals, assertRejects } from "@std/assert";
import {
  ConfigurationError,
  type MessageCreateRequest,
  type MessageRunResult,
  type MessagesShapes,
  type RunOptions,
  type ServiceClient,
  tool,
} from "../mod.ts";
import { json, metadata, scripted, type Sent, sse } from "../scripted_service_test.ts";

type Fields = Readonly<Record<string, unknown>>;

const MESSAGES: MessageCreateRequest["messages"] = [{ role: "user", content: "Hello" }];
const double = tool({
  name: "double",
  description: "Doubles a number",
  parameters: { type: "object", properties: { n: { type: "number" } } },
  execute: ({ n = 0 }) => 2 * n,
});

type Run = (
  client: ServiceClient,
  options?: RunOptions<MessagesShapes>,
) => Promise<MessageRunResult>;

/** Both ways to run, and how their turns are answered. */
const RUNS: Readonly<Record<string, { readonly run: Run; readonly stream: boolean }>> = {
  run: {
    run: (client, options) => client.messages.run({ messages: MESSAGES }, options),
    stream: false,
  },
  runStream: {
    run: async (client, options) =>
      await client.messages.runStream({ messages: MESSAGES }, options),
    stream: true,
  },
};

/** Answers with this message, as it was asked for. */
function says(message: Fields, { stream }: { readonly stream: boolean }) {
  const finish_reason = message["tool_calls"] === undefined ? "stop" : "tool_calls";
  const choice = { index: 0, finish_reason };
  const more = { metadata: metadata("req-1", "0.250000") };
  return stream
    ? sse({ id: "c", model: "m", choices: [{ ...choice, delta: message }] }, {
      ...{ id: "c", model: "m", choices: [] },
      ...more,
    })
    : json({ id: "c", model: "m", choices: [{ ...choice, message }], ...more });
}

/** The messages that a request brings after the question. */
function messagesIn(sent: Sent | undefined): Fields[] {
  const messages = sent?.json["messages"];
  return Array.isArray(messages) ? messages.slice(1) : [];
}

for (const [name, { run, stream }] of Object.entries(RUNS)) {
  Deno.test(`${name} lets the model correct arguments that are not JSON`, async () => {
    const written = { name: "double", arguments: '{"n":' };
    const tool_calls = [{ index: 0, id: "1", type: "function", function: written }];
    const { client, sent } = scripted([
      says({ role: "assistant", content: null, tool_calls }, { stream }),
      says({ role: "assistant", content: "Sorry" }, { stream }),
    ], { tools: [double] });
    const { steps } = await run(client);
    assertEquals(steps[0]?.results[0]?.isError, true);
    const [assistant, result] = messagesIn(sent[1]);
    assertEquals(Object(assistant).tool_calls[0].function, written);
    const { code } = JSON.parse(String(result?.["content"])).error;
    assertEquals([result?.["is_error"], code], [true, "invalid_tool_arguments"]);
  });

  Deno.test(`${name} reports a custom tool without a handler to the model`, async () => {
    const custom = { name: "sql", input: "select 1" };
    const tool_calls = [{ index: 0, id: "1", type: "custom", custom }];
    const { client, sent } = scripted([
      says({ role: "assistant", content: null, tool_calls }, { stream }),
      says({ role: "assistant", content: "Sorry" }, { stream }),
    ], { tools: [double] });
    const { finalText, stoppedBy } = await run(client);
    const reply = JSON.parse(String(messagesIn(sent[1]).at(-1)?.["content"]));
    assertEquals([reply.error.code, stoppedBy, finalText], [
      ...["tool_handler_not_found", "finish", "Sorry"],
    ]);
  });

  Deno.test(`${name} sends auto, for any choice of prepareStep`, async () => {
    const answer = says({ role: "assistant", content: "Hi" }, { stream });
    const { client, sent } = scripted(answer);
    await run(client, { prepareStep: () => ({ messages: MESSAGES }) });
    assertEquals(sent[0]?.json["model"], "auto");
    const named: MessageCreateRequest = JSON.parse('{"messages":[],"model":"claude"}');
    await assertRejects(
      () => run(client, { prepareStep: () => named }),
      ConfigurationError,
      'the model "claude"',
    );
    assertEquals(sent.length, 1);
  });
}

Deno.test("a stream of one choice need not number it", async () => {
  const chunks = [{ delta: { content: "Hi" } }, { delta: {}, finish_reason: "stop" }];
  const { client } = scripted(
    sse(...chunks.map((choice) => ({ id: "c", model: "m", choices: [choice] }))),
  );
  const { finalText, response } = await client.messages.runStream({ messages: MESSAGES });
  assertEquals([finalText, response?.content], [
    "Hi",
    [{ type: "text", text: "Hi", citations: null }],
  ]);
});
