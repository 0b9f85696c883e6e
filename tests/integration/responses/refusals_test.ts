/**
 * Requests for responses that are refused: by name, before anybody is asked, and for nothing.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { refused } from "../../fixtures/responses_calls.ts";
import { type TwoRoutes, twoRoutes } from "../../fixtures/two_routes.ts";

type Fields = Readonly<Record<string, unknown>>;

const DATA = "data:image/png;base64,iVBORw0KGgo=";
/** No hosted tool, for all its name. */
const FUNCTION = { type: "function", name: "file_search" };
const user = (...content: readonly Fields[]) => ({ input: [{ role: "user", content }] });

/** The request beside `model`, and the code and parameter of its refusal. */
const REFUSED: readonly (readonly [Fields, string, string])[] = [
  [{ input: "Hi", conversation: "conv_1" }, "invalid_request", "conversation"],
  [{ input: "Hi", conversation: { id: "conv_1" } }, "invalid_request", "conversation"],
  [{ input: "Hi", background: true }, "invalid_request", "background"],
  [{ input: "Hi", prompt: { id: "pmpt_1" } }, "invalid_request", "prompt"],
  [{ input: "Hi", messages: [] }, "invalid_request", "messages"],
  [{ input: "Hi", n: 2 }, "invalid_request", "n"],
  [{ input: "Hi", max_tokens: 2 }, "invalid_request", "max_tokens"],
  [{ input: "Hi", metadata: { request_id: "x" } }, "invalid_request", "metadata.request_id"],
  [{ input: "Hi", metadata: { a: "b", routing: "x" } }, "invalid_request", "metadata.routing"],
  [{ input: "Hi", metadata: { billing: "x" } }, "invalid_request", "metadata.billing"],
  [{ input: "Hi", metadata: { a: 1 } }, "invalid_request", "metadata.a"],
  [{ input: "Hi", truncation: "some" }, "invalid_request", "truncation"],
  [{ input: [] }, "invalid_request", "input"],
  [{}, "invalid_request", "input"],
  [
    user({ type: "input_image", file_id: "file-1" }),
    "invalid_request",
    "input.0.content.0.file_id",
  ],
  [
    user({ type: "input_image", image_url: DATA, file_id: "file-1" }),
    "invalid_request",
    "input.0.content.0.file_id",
  ],
  [
    user({ type: "input_text", text: "Hi" }, { type: "input_file", file_id: "file-1" }),
    "invalid_request",
    "input.0.content.1.file_id",
  ],
  [
    user({ type: "input_file", file_data: "data:application/pdf;base64,JVBE", file_id: "file-1" }),
    "invalid_request",
    "input.0.content.0.file_id",
  ],
  [
    {
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "c",
          output: [{ type: "input_image", image_url: DATA, file_id: "file-1" }],
        },
      ],
    },
    "invalid_request",
    "input.1.output.0.file_id",
  ],
  [
    {
      input: [{
        type: "computer_call_output",
        call_id: "c",
        output: { type: "computer_screenshot", file_id: "file-1" },
      }],
    },
    "invalid_request",
    "input.0.output.file_id",
  ],
  [
    { input: [{ type: "item_reference", id: "msg_none" }] },
    "invalid_request",
    "input.0.id",
  ],
  [{ input: [{ id: "msg_none" }] }, "invalid_request", "input.0.id"],
  [
    { input: "Hi", previous_response_id: "resp_none" },
    "invalid_request",
    "previous_response_id",
  ],
  ...["code_interpreter", "computer_use_preview", "mcp", "image_generation", "local_shell", "odd"]
    .map((type): [Fields, string, string] => [
      { input: "Hi", tools: [{ type: "function", name: "f" }, { type }] },
      "unsupported_tool",
      "tools.1.type",
    ]),
  [
    { input: "Hi", tools: [{ type: "web_search" }, { type: "web_search_preview" }] },
    "conflicting_tools",
    "tools",
  ],
  [
    { input: "Hi", tools: [{ type: "web_search_20250305" }, { type: "web_search_preview" }] },
    "conflicting_tools",
    "tools",
  ],
  [
    { input: "Hi", tools: [{ type: "file_search", vector_store_ids: [] }] },
    "invalid_request",
    "tools.0.vector_store_ids",
  ],
];

/** Refused where no model is asked over Responses itself. */
const REFUSED_IN_CHAT: readonly (readonly [Fields, string])[] = [
  [{ input: "Hi", tools: [FUNCTION], tool_choice: { type: "web_search_preview" } }, "tool_choice"],
  [{ input: "Hi", tools: [FUNCTION], tool_choice: { type: "file_search" } }, "tool_choice"],
  [{ input: "Hi", tool_choice: { type: "web_search" } }, "tool_choice"],
  [{
    input: "Hi",
    tools: [FUNCTION],
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "file_search" }, { type: "file_search" }],
    },
  }, "tool_choice.tools.1"],
  [{ input: [{ type: "reasoning", summary: [], encrypted_content: "x" }] }, "input"],
  [{ input: [{ role: "assistant", content: [] }] }, "input"],
];

async function nobodyAsked({ service, native, chat }: TwoRoutes): Promise<void> {
  assertEquals([native.requests.length, chat.requests.length], [0, 0]);
  await service.assertBooks();
  assertEquals((await service.wallet()).spent, 0n);
}

Deno.test("a refusal names its field, on both routes", async () => {
  for (const first of ["native", "chat"] as const) {
    await using routes = await twoRoutes(first, new FakeUpstream());
    for (const [body, code, param] of REFUSED) {
      for (const stream of [false, true]) {
        const refusal = await refused(routes.service, { ...body, stream });
        const { message, ...named } = refusal;
        assertEquals(named, { status: 400, code, param }, JSON.stringify(body));
        assert(message.length > 10);
      }
    }
    await nobodyAsked(routes);
  }
});

Deno.test("choices of undeclared tools, and empty inputs, are not sent to chat", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { key } = await routes.service.newKey({ policy: { models: ["chat"] } });
  for (const [body, param] of REFUSED_IN_CHAT) {
    const refusal = await refused(routes.service, body, key);
    assertEquals([refusal.status, refusal.param], [400, param], JSON.stringify(body));
  }
  await nobodyAsked(routes);
});

Deno.test("any model but auto is refused", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { message: _, ...refusal } = await refused(routes.service, {
    model: "native",
    input: "Hi",
  });
  assertEquals(refusal, { status: 400, code: "model_not_allowed", param: "model" });
  await nobodyAsked(routes);
});

Deno.test("a key without permission cannot create responses", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { key } = await routes.service.newKey({ policy: { endpoints: ["chat"] } });
  assertEquals((await refused(routes.service, { input: "Hi" }, key)).code, "policy_denied");
  await nobodyAsked(routes);
});

Deno.test("a wallet that cannot pay for the smallest answer is refused as such", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { key } = await routes.service.newKey({ credits: "0" });
  const { status, code } = await refused(routes.service, { input: "Hi" }, key);
  assertEquals([status, code], [402, "insufficient_balance"]);
  await nobodyAsked(routes);
});

Deno.test("a request for a native upstream is refused if there is none", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native, chat } = routes;
  const { key } = await service.newKey({ policy: { models: ["chat"] } });
  const odd = {
    input: [{ type: "computer_call", call_id: "c_1" }, { role: "user", content: "Hi" }],
  };
  const { status, param } = await refused(service, odd, key);
  assertEquals([status, param], [400, "input.0.type"]);
  assertEquals([native.requests.length, chat.requests.length], [0, 0]);
});

Deno.test("an upstream's refusal of the caller's input is passed on without a second attempt", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native, chat } = routes;
  const error = {
    message: "Invalid schema for function 'f'",
    type: "invalid_request_error",
    param: "tools[0].parameters",
    code: "invalid_function_parameters",
  };
  for (const stream of [false, true]) {
    native.say({ error: { status: 400, body: { error } } });
    const refusal = await refused(service, { input: "Hi", stream });
    assertEquals(refusal, {
      status: 400,
      code: "invalid_request",
      param: "tools[0].parameters",
      message: "Invalid schema for function 'f'",
    });
  }
  assertEquals(chat.requests.length, 0);
  await service.assertBooks();
  assertEquals((await service.wallet()).spent, 0n);
});
