import { assertEquals } from "@std/assert";
import { AFTER_CALLS, FUNCTION, translate } from "./translated_fixture.ts";

Deno.test("JSON beside tools: a choice is obeyed, however the package gets at its JSON", () => {
  const json = { response_format: { type: "json_object" } };
  for (const kind of ["anthropic", "amazon-bedrock"] as const) {
    const free = translate(kind, { ...AFTER_CALLS, ...json }).options;
    assertEquals([free.tools?.length, free.responseFormat?.type], [1, "json"]);
    const none = translate(kind, { ...AFTER_CALLS, ...json, tool_choice: "none" });
    assertEquals([none.options.tools, none.options.toolChoice], [undefined, undefined]);
    assertEquals([none.options.responseFormat?.type, none.warnings], ["json", []]);
    const forced = translate(kind, { ...AFTER_CALLS, ...json, tool_choice: FUNCTION }).options;
    assertEquals([forced.responseFormat, forced.toolChoice], [undefined, {
      type: "tool",
      toolName: "f",
    }]);
  }
  const google = translate("google", { ...AFTER_CALLS, ...json, tool_choice: FUNCTION });
  assertEquals([google.options.responseFormat, google.warnings], [{ type: "json" }, []]);
});

Deno.test("no more calls: Bedrock keeps its tools where calls were made, and only there", () => {
  const choice = { tools: [FUNCTION], tool_choice: "none" };
  assertEquals(translate("amazon-bedrock", choice).options.toolChoice, { type: "none" });
  const made = translate("amazon-bedrock", { ...AFTER_CALLS, ...choice });
  assertEquals([made.options.toolChoice, made.options.tools?.length], [{ type: "auto" }, 1]);
  assertEquals(made.warnings, ['"tool_choice" is not supported and was left out']);
  // The last turn of a hosted loop forbids calls without a request of the caller.
  const own = translate("amazon-bedrock", { ...AFTER_CALLS, ...choice }, { isOwnChoice: true });
  assertEquals([own.options.toolChoice, own.warnings], [{ type: "auto" }, []]);
  assertEquals(translate("anthropic", { ...AFTER_CALLS, ...choice }).options.toolChoice, {
    type: "none",
  });
});

Deno.test("tools and the choice among them", () => {
  const tools = [
    { type: "function", function: { name: "a", description: "A", strict: true } },
    { type: "function", function: { name: "b", parameters: { type: "object" } } },
  ];
  const { options } = translate("anthropic", {
    tools,
    tool_choice: { type: "function", function: { name: "b" } },
    parallel_tool_calls: false,
  });
  assertEquals(options.tools, [
    {
      type: "function",
      name: "a",
      description: "A",
      strict: true,
      inputSchema: { type: "object", properties: {} },
    },
    { type: "function", name: "b", inputSchema: { type: "object" } },
  ]);
  assertEquals(options.toolChoice, { type: "tool", toolName: "b" });
  assertEquals(options.providerOptions, { anthropic: { disableParallelToolUse: true } });
  for (const type of ["auto", "none", "required"] as const) {
    const chosen = translate("anthropic", { tools, tool_choice: type });
    assertEquals(chosen.options.toolChoice, { type });
  }
  assertEquals(translate("google", { tools }).options.toolChoice, undefined);
});

Deno.test("of a choice among some tools only those are sent", () => {
  const tools = ["a", "b", "c"].map((name) => ({ type: "function", function: { name } }));
  const choice = (mode: unknown, ...names: readonly string[]) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
  });
  for (const mode of ["auto", "required"]) {
    const { options, refusal } = translate("mistral", {
      tools,
      tool_choice: choice(mode, "a", "c"),
    });
    assertEquals(options.tools?.map(({ name }) => name), ["a", "c"]);
    assertEquals([options.toolChoice, refusal], [{ type: mode }, undefined]);
  }
  const refused = (tool_choice: unknown) =>
    translate("google", { tools, tool_choice }).refusal?.param;
  for (const odd of [choice("never", "a"), choice("auto"), { type: "allowed_tools" }]) {
    assertEquals(refused(odd), "tool_choice.allowed_tools");
  }
  assertEquals(refused(choice("auto", "a", "z")), "tool_choice");
});

Deno.test("a choice that nothing can be made of is refused, never left out", () => {
  const refused = (fields: Readonly<Record<string, unknown>>) =>
    translate("cohere", fields).refusal?.param;
  const named = (name: string) => ({ type: "function", function: { name } });
  for (const tool_choice of ["required", "any", named("f"), { type: "custom" }]) {
    assertEquals(refused({ tool_choice }), "tool_choice");
  }
  for (const tool_choice of ["auto", "none", null]) {
    assertEquals(refused({ tool_choice }), undefined);
  }
  for (const tool_choice of ["any", named("g"), { type: "custom" }]) {
    assertEquals(refused({ tools: [FUNCTION], tool_choice }), "tool_choice");
  }
  assertEquals(refused({ tools: [FUNCTION], tool_choice: named("f") }), undefined);
  const strict = { type: "function", function: { name: "f", strict: "yes" } };
  assertEquals(refused({ tools: [strict] }), "tools.0.function.strict");
});
