/**
 * Custom tools, whose input is plain text: only upstreams that speak Responses themselves are asked.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { askHosted, hostedLab, saying } from "../../fixtures/hosted_lab.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { TestService } from "../../fixtures/service.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

const PATCH = { type: "custom", name: "patch", description: "Applies a patch" };
const OWN = { type: "function", name: "own", parameters: { type: "object" } };

/**
 * Fields that mention them beside `input`, and the parameter that is named where no upstream supports
 * them.
 */
const MENTIONS: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
  [{ tools: [OWN, PATCH] }, "tools.1.type"],
  [{ tools: [OWN], tool_choice: { type: "custom", name: "patch" } }, "tool_choice.type"],
  [
    { tools: [OWN], tool_choice: { type: "allowed_tools", mode: "auto", tools: [OWN, PATCH] } },
    "tool_choice.tools.1.type",
  ],
];

Deno.test("custom tools go to a native upstream, however good the others are", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, native, chat } = routes;
  for (const [mention] of MENTIONS) {
    const answer = await postResponse(service, { input: "Hi", ...mention });
    assertEquals([answer.status, (await answer.json()).model], [200, "native"]);
    const { tools, tool_choice } = JSON.parse(native.last.text);
    assertEquals<unknown>({ tools, tool_choice }, { tool_choice: undefined, ...mention });
  }
  assertEquals(chat.requests.length, 0);
  await service.assertBooks();
});

Deno.test("without a native upstream custom tools are refused by name, and cost nothing", async () => {
  await using chat = new FakeUpstream();
  await using service = await TestService.start({
    config: labConfig({ id: "chat", baseUrl: chat.baseUrl }),
  });
  for (const stream of [false, true]) {
    for (const [mention, param] of MENTIONS) {
      const answer = await postResponse(service, { input: "Hi", stream, ...mention });
      const { error } = await answer.json();
      assertEquals([answer.status, error.code, error.param], [400, "invalid_request", param]);
    }
  }
  assertEquals(chat.requests.length, 0);
  await service.assertBooks();
});

Deno.test("a custom tool called like a hosted one is another tool, on either surface", async () => {
  await using lab = await hostedLab();
  const { service, model } = lab;
  const flat = { type: "custom", name: "web_search" };
  const tools = [flat, { type: "web_search" }];
  const refused = await askHosted(service, "responses", { more: { tools } });
  assertEquals([refused.status, (await refused.json()).error.param], [400, "tools.0.type"]);
  model.answer(saying("Ok."));
  const nested = { type: "custom", custom: { name: "web_search" } };
  const more = { tools: [nested, { type: "web_search" }] };
  const answer = await askHosted(service, "chat", { more });
  assertEquals(answer.status, 200, await answer.text());
  const [own, hosted] = JSON.parse(model.last.text).tools;
  assertEquals([own, hosted.function.name], [nested, "hosted_web_search"]);
});
