import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceAPIError, type ServiceClient, tool } from "../mod.ts";
import { call, type Fields, message, resource, scripted, sse } from "./script_test.ts";

const double = tool({
  name: "double",
  description: "Doubles a number",
  parameters: { type: "object", properties: { n: { type: "number" } } },
  execute: ({ n = 0 }) => 2 * n,
});
const ANSWER = resource([message("Done")]);
const QUERY = {
  ...{ type: "custom_tool_call", id: "ctc_1", call_id: "call_sql", name: "sql" },
  ...{ input: 'select "a"', own: [1] },
};

/** Both ways to run, with a request that declares a custom tool. */
const RUNS = {
  run: (client: ServiceClient, toolHandlers: Record<string, (input: unknown) => unknown> = {}) =>
    client.responses.run({ input: "Hi", tools: [{ type: "custom", name: "sql" }] }, {
      toolHandlers,
    }),
  runStream: async (
    client: ServiceClient,
    toolHandlers: Record<string, (input: unknown) => unknown> = {},
  ) =>
    await client.responses.runStream({ input: "Hi", tools: [{ type: "custom", name: "sql" }] }, {
      toolHandlers,
    }),
} as const;

/** The items that a request brings after the question. */
function itemsIn(sent: { readonly input?: unknown } | undefined): Fields[] {
  assert(Array.isArray(sent?.input));
  return sent.input.slice(1);
}

for (const [name, run] of Object.entries(RUNS)) {
  Deno.test(`${name} hands the text of a custom tool's call to the handler of its name`, async () => {
    const { client, sent } = scripted([resource([QUERY]), ANSWER]);
    const inputs: unknown[] = [];
    const result = await run(client, { sql: (input) => `${inputs.push(input)} row` });
    assertEquals(inputs, ['select "a"']);
    assertEquals(itemsIn(sent[1]), [
      QUERY,
      { type: "custom_tool_call_output", call_id: "call_sql", output: "1 row" },
    ]);
    assertEquals([result.finalText, result.stoppedBy], ["Done", "finish"]);
    assertEquals(result.steps[0]?.finishReason, "tool_calls");
  });

  Deno.test(`${name} reports a custom tool without a handler to the model`, async () => {
    const { client, sent } = scripted([resource([QUERY, call("double")]), ANSWER], {
      tools: [double],
    });
    const { finalText } = await run(client);
    const [, , refused, doubled] = itemsIn(sent[1]);
    assertEquals([refused?.["type"], refused?.["call_id"]], [
      ...["custom_tool_call_output", "call_sql"],
    ]);
    assertEquals(JSON.parse(String(refused?.["output"])).error.code, "tool_handler_not_found");
    assertEquals([doubled?.["type"], doubled?.["output"]], ["function_call_output", "0"]);
    assertEquals(finalText, "Done");
  });

  Deno.test(`${name} runs no call that was cut, be there nothing of its input`, async () => {
    const inputs: unknown[] = [];
    const cut = { arguments: "", status: "incomplete" };
    const output = [call("f", cut), { ...QUERY, status: "incomplete" }, call("f")];
    const { client } = scripted([
      resource(output, { status: "incomplete", incomplete_details: null }),
      ANSWER,
    ]);
    const keep = (input: unknown) => void inputs.push(input);
    const { steps } = await run(client, { f: keep, sql: keep });
    assertEquals(inputs, [{}]);
    assertEquals(steps[0]?.results.map(({ isError }) => isError), [true, true, false]);
  });

  Deno.test(`${name} gives each call without an id one of its own, in every turn`, async () => {
    const nameless = call("double", { id: "", call_id: null });
    const turn = resource([nameless, nameless, { ...nameless, id: "fc_1" }], { id: undefined });
    const other = resource([nameless, nameless]);
    const { client, sent } = scripted([turn, other, ANSWER], { tools: [double] });
    await run(client);
    const items = itemsIn(sent[2]);
    const ids = (type: string) =>
      items.filter((item) => item["type"] === type).map(({ call_id }) => call_id);
    assertEquals([new Set(ids("function_call")).size, ids("function_call")[2]], [5, "fc_1"]);
    assertEquals(ids("function_call"), ids("function_call_output"));
  });

  Deno.test(`${name} answers calls of one id each for itself, in call order`, async () => {
    const twice = [1, 2].map((n) => call("double", { arguments: `{"n":${n}}` }));
    const { client, sent } = scripted([resource(twice), ANSWER], { tools: [double] });
    await run(client);
    assertEquals(itemsIn(sent[1]).map((item) => item["output"] ?? item["arguments"]), [
      ...['{"n":1}', '{"n":2}', "2", "4"],
    ]);
  });

  Deno.test(`${name} rejects an output that is not a list of items`, async () => {
    for (const output of [[null], "text", [{}]]) {
      const whole = resource([], { output });
      const events = sse([{ type: "response.completed", response: whole }]);
      const { client } = scripted([name === "run" ? Response.json(whole) : events]);
      const error = await assertRejects(() => run(client), ServiceAPIError, "no list of items");
      assertEquals([error.status, error.body], [200, JSON.parse(JSON.stringify(whole))]);
    }
  });
}

Deno.test("an unexpected member of an item is ignored", async () => {
  const odd = [
    ...[{ type: "message", content: [null, { type: "output_text" }] }, { type: "message" }],
    ...[{ type: "reasoning", summary: [null, {}] }, { type: "reasoning", summary: 1 }],
    ...[{ type: "unheard_of" }],
    call("double", { name: 5, arguments: null }),
  ];
  const { client } = scripted([resource(odd, { usage: {} }), ANSWER], { tools: [double] });
  const { finalText, usage } = await client.responses.run({ input: "Hi" });
  assertEquals([finalText, usage.totalTokens], ["Done", 0]);
});

Deno.test("pieces of calls are counted with those of custom tools", async () => {
  const { client } = scripted([resource([QUERY, call("double")]), ANSWER], { tools: [double] });
  const pieces: unknown[] = [];
  for await (const event of client.responses.runStream({ input: "Hi" })) {
    if (event.type !== "tool_call_delta") continue;
    pieces.push([event.index, event.name, event.arguments]);
  }
  assertEquals(pieces, [
    ...[[0, "sql", ""], [1, "double", ""], [1, undefined, "{"], [1, undefined, "}"]],
  ]);
});
