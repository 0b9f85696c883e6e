import { assertEquals, assertThrows } from "@std/assert";
import type { ChatTool } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import {
  hostedConversation,
  hostedNames,
  hostedSurface,
  outputLimitOf,
  withLessOutput,
  withoutTools,
} from "./hosted_conversation.ts";

const WEB = { type: "web_search" };
const FILES = { type: "file_search", vector_store_ids: ["vs_1"] };

function named(name: string): ChatTool {
  return { type: "function", function: { name } };
}

function bodyOf(text: string): ChatBody {
  return { text, value: JSON.parse(text) };
}

/** The conversation of a request with these tools. */
function requestWith(tools: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  const value = { messages: [{ role: "user", content: "Hi" }], tools, ...more };
  const body = bodyOf(JSON.stringify(value));
  return hostedConversation(body, hostedNames(tools as ChatTool[]));
}

Deno.test("hosted tools have names that no tool of the caller has", () => {
  assertEquals(hostedNames([WEB, FILES]), {
    web_search_preview: "web_search",
    file_search: "file_search",
  });
  assertEquals(hostedNames([named("web_search"), named("hosted_web_search"), WEB]), {
    web_search_preview: "hosted_hosted_web_search",
  });
  const custom = { type: "custom", custom: { name: "file_search" } };
  assertEquals(hostedNames([custom, FILES]), { file_search: "hosted_file_search" });
  assertEquals(hostedNames([named("own")]), {});
});

Deno.test("functions replace hosted tools in place, and the caller's own keep their bytes", () => {
  const own = '{"type":"function",  "function":{"name":"own","parameters":{"x":1e2}}}';
  const text = `{"messages":[],"tools":[{"type":"web_search"},${own}],"seed":1.0,"stream":false}`;
  const { text: sent, value } = hostedConversation(bodyOf(text), {
    web_search_preview: "web_search",
  });
  assertEquals([sent.includes(own), sent.includes('"seed":1.0')], [true, true]);
  const { tools, stream } = Object(value);
  assertEquals([tools[0].function.name, tools[1].function.name], ["web_search", "own"]);
  assertEquals(tools[0].function.parameters.required, ["query"]);
  assertEquals(stream, true);
});

Deno.test("the choice of a hosted tool becomes that of its function; other choices stay", () => {
  const choiceOf = (tool_choice: unknown, tools: readonly unknown[] = [WEB, named("web_search")]) =>
    Object(requestWith(tools, { tool_choice }).value)["tool_choice"];
  const hosted = { type: "function", function: { name: "hosted_web_search" } };
  assertEquals(choiceOf({ type: "web_search_preview" }), hosted);
  for (const choice of ["auto", "required", "none", named("web_search"), null]) {
    assertEquals(choiceOf(choice), choice);
  }
  const allowed = (...tools: unknown[]) => ({
    type: "allowed_tools",
    allowed_tools: { mode: "auto", tools },
  });
  assertEquals(choiceOf(allowed(WEB, named("web_search"))), allowed(hosted, named("web_search")));
  assertEquals(choiceOf({ type: "allowed_tools" }), { type: "allowed_tools" });
});

Deno.test("a hosted tool that is not declared cannot be chosen", () => {
  const choices = [
    { type: "file_search" },
    { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [{ type: "file_search" }] } },
  ];
  for (const tool_choice of choices) {
    const fault = assertThrows(() => requestWith([WEB], { tool_choice }), ServiceFault);
    assertEquals(fault.code, "invalid_request");
    assertEquals(fault.param?.split(".")[0], "tool_choice");
  }
});

Deno.test("turns and results are written down, signatures in their own bytes", () => {
  const turn = '{"role":"assistant","tool_calls":[{"id":"c1","sig":"a\\/b"}]}';
  const first = requestWith([WEB], { tool_choice: "required" });
  const call = { id: "c1", name: "web_search", arguments: "{}", raw: "" };
  const result = { call, isError: false, text: "found", isCut: false, output: {} };
  const turned = hostedSurface.withAssistantTurn(first, turn);
  const next = hostedSurface.withAutoToolChoice(hostedSurface.withToolResults(turned, [result]));
  assertEquals(next.text.includes(turn), true);
  const { messages, tool_choice } = Object(next.value);
  assertEquals(messages.at(-1), { role: "tool", tool_call_id: "c1", content: "found" });
  assertEquals([messages.length, tool_choice], [3, "auto"]);
  assertEquals(hostedSurface.withAutoToolChoice(next), next);
  const plain = requestWith([WEB]);
  assertEquals(hostedSurface.withAutoToolChoice(plain), plain);
  assertEquals(Object(withoutTools(next).value)["tool_choice"], "none");
});

Deno.test("which tools are allowed holds in later turns; only that one must be called does not", () => {
  const allowed = (mode: string) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: [WEB, named("own")] },
  });
  const laterChoice = (tool_choice: unknown) => {
    const first = requestWith([WEB, named("own"), named("other")], { tool_choice });
    return Object(hostedSurface.withAutoToolChoice(first).value)["tool_choice"];
  };
  const hosted = { type: "function", function: { name: "web_search" } };
  const kept = {
    type: "allowed_tools",
    allowed_tools: { mode: "auto", tools: [hosted, named("own")] },
  };
  assertEquals(laterChoice(allowed("auto")), kept);
  assertEquals(laterChoice(allowed("required")), kept);
  assertEquals(laterChoice(named("own")), "auto");
});

Deno.test("of output limits the smaller counts, and each is lowered", () => {
  for (
    const [limits, limit, remaining] of [
      [{}, Infinity, {}],
      [{ max_tokens: null }, Infinity, { max_tokens: null }],
      [{ max_tokens: 50 }, 50, { max_tokens: 20 }],
      [{ max_completion_tokens: 80, max_tokens: 50 }, 50, {
        max_completion_tokens: 50,
        max_tokens: 20,
      }],
    ] as const
  ) {
    const conversation = requestWith([WEB], limits);
    assertEquals(outputLimitOf(conversation), limit);
    const { max_completion_tokens, max_tokens } = withLessOutput(conversation, 30).value;
    assertEquals({ max_completion_tokens, max_tokens }, {
      max_completion_tokens: undefined,
      max_tokens: undefined,
      ...remaining,
    });
  }
});
