import { assertEquals } from "@std/assert";
import { message, resource, scripted } from "./script_test.ts";
import { responseSurface } from "./surface.ts";

const weather = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: () => "Rain",
};

Deno.test("functions are declared flat, and hosted tools by their type", async () => {
  const declared = { ...weather, strict: false, type: "function", execute: undefined };
  const one = scripted([resource([])], { tools: [weather, { name: "own", parameters: {} }] });
  await one.client.responses.create({ input: "Hi" });
  assertEquals(
    JSON.stringify(one.sent[0]?.["tools"]),
    JSON.stringify([
      {
        ...{ type: "function", name: "weather", parameters: declared.parameters, strict: false },
        description: declared.description,
      },
      { type: "function", name: "own", parameters: {}, strict: false },
    ]),
  );

  const other = scripted([resource([])], { defaultLocalTools: true, defaultBuiltinTools: true });
  await other.client.responses.create({ input: "Hi" });
  const tools = other.sent[0]?.["tools"];
  assertEquals(Array.isArray(tools) && tools.map(({ type, name }) => name ?? type), [
    ...["calculator", "datetime", "file_read", "list_dir", "file_search", "file_write", "shell"],
    "web_search_preview",
  ]);
});

Deno.test("a request's own tools are sent unchanged, also an empty list", async () => {
  const options = { tools: [weather], defaultBuiltinTools: true };
  for (const tools of [[], [{ type: "web_search_preview", own: 1 }]]) {
    const { client, sent } = scripted([resource([]), resource([])], options);
    await client.responses.create({ input: "Hi", tools });
    await client.responses.run({ input: "Hi", tools });
    assertEquals(sent.map(({ tools }) => tools), [tools, tools]);
  }
  const { client, sent } = scripted([resource([])]);
  await client.responses.create({ input: "Hi", tools: null });
  assertEquals(sent[0]?.["tools"], null);
});

Deno.test("a conversation is never changed in place", () => {
  const request = { input: [{ role: "user", content: "Hi" }] };
  const before = structuredClone(request);
  const turn = JSON.parse(JSON.stringify(resource([message("Hello")])));
  const after = responseSurface.withAssistantTurn(request, turn);
  assertEquals(request, before);
  assertEquals(responseSurface.history(after).input.length, 2);
  assertEquals(responseSurface.history({}).input, []);
});
