/**
 * Refusals of hosted tools: by name, before anything is held or charged.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { completion, labConfig } from "../fixtures/lab.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { askHosted, storeWith, SURFACES, WEB } from "../fixtures/hosted_lab.ts";
import { type TestKey, TestService, WALLET } from "../fixtures/service.ts";

/** One refusal: what is sent, and what it must say. */
interface Refused {
  readonly tools: readonly unknown[];
  readonly more?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly code?: string;
  readonly param: string | null;
  readonly says: string;
}

const filter = (value: unknown) => ({ type: "eq", key: "a", value });
const files = (more: unknown) => ({ type: "file_search", ...Object(more) });

/** Of file search: `own` is the wallet's store, `other` another wallet's. */
function fileRefusals(own: string, other: string): readonly Refused[] {
  const ids = "tools.0.vector_store_ids";
  const vector_store_ids = [own];
  return [
    { tools: [files({ vector_store_ids: [] })], param: ids, says: "at least one" },
    { tools: [files({})], param: ids, says: "at least one" },
    { tools: [files({ vector_store_ids: null })], param: ids, says: "" },
    { tools: [files({ vector_store_ids: own })], param: ids, says: "" },
    { tools: [files({ vector_store_ids: [7] })], param: `${ids}.0`, says: "" },
    { tools: [files({ vector_store_ids: [""] })], param: `${ids}.0`, says: "" },
    { tools: [files({ vector_store_ids: ["vs_none"] })], param: `${ids}.0`, says: "vs_none" },
    { tools: [files({ vector_store_ids: [own, other] })], param: `${ids}.1`, says: other },
    { tools: [files({ vector_store_ids: Array(33).fill(own) })], param: ids, says: "" },
    {
      tools: [files({ vector_store_ids, max_num_results: 0 })],
      param: "tools.0.max_num_results",
      says: "",
    },
    {
      tools: [files({ vector_store_ids, max_num_results: 51 })],
      param: "tools.0.max_num_results",
      says: "",
    },
    {
      tools: [files({ vector_store_ids, ranking_options: { score_threshold: 2 } })],
      param: "tools.0.ranking_options.score_threshold",
      says: "",
    },
    {
      tools: [files({ vector_store_ids, filters: filter({}) })],
      param: "tools.0.filters.value",
      says: "",
    },
    {
      tools: [files({ vector_store_ids }), files({ vector_store_ids })],
      code: "conflicting_tools",
      param: "tools.1",
      says: "one file_search",
    },
  ];
}

/** Refusals of web search options, and of unsupported tools. */
function otherRefusals(): readonly Refused[] {
  return [
    {
      tools: [WEB, { type: "web_search" }],
      code: "conflicting_tools",
      param: "tools",
      says: "web_search_preview and web_search",
    },
    { tools: [WEB, WEB], code: "conflicting_tools", param: "tools", says: "one web search" },
    ...["code_interpreter", "mcp", "computer_use_preview", "web_search_9", "", "x".repeat(5_000)]
      .map((type) => ({
        tools: [WEB, { type }],
        code: "unsupported_tool",
        param: "tools.1.type",
        says: `"${type.slice(0, 100)}"`,
      })),
    {
      tools: [{ ...WEB, search_context_size: "huge" }],
      param: "tools.0.search_context_size",
      says: "",
    },
    {
      tools: [{ ...WEB, filters: { allowed_domains: "a.example" } }],
      param: "tools.0.filters.allowed_domains",
      says: "",
    },
    ...["https://example.com/x", "example.com:80", "127.0.0.1", "", "a b"].map((domain) => ({
      tools: [{ ...WEB, filters: { allowed_domains: ["a.example", domain] } }],
      param: "tools.0.filters.allowed_domains.1",
      says: "domain name",
    })),
    {
      tools: [WEB],
      more: { tool_choice: { type: "file_search" } },
      param: "tool_choice",
      says: '"file_search"',
    },
  ];
}

/** Returns the refusal without its message. */
async function refusalOf(response: Response) {
  const text = await response.text();
  const { error } = JSON.parse(text);
  return {
    status: response.status,
    code: error?.code,
    param: error?.param,
    message: error?.message,
  };
}

for (const surface of SURFACES) {
  Deno.test(`${surface}: a refusal names its field, and costs nothing`, async () => {
    await using service = await TestService.start();
    const { wallet } = await service.newKey();
    const own = await storeWith(service, { wallet: WALLET, text: "ours" });
    const other = await storeWith(service, { wallet, text: "theirs" });
    for (
      const { tools, more, status = 400, code = "invalid_request", param, says } of [
        ...fileRefusals(own, other),
        ...otherRefusals(),
      ]
    ) {
      for (const stream of [false, true]) {
        const request = { stream, more: { tools, ...more } };
        const refused = await refusalOf(await askHosted(service, surface, request));
        const { message, ...named } = refused;
        assertEquals(
          named,
          { status, code, param },
          `${JSON.stringify(tools).slice(0, 300)}: ${message}`,
        );
        assertStringIncludes(message, says);
      }
    }
    assertEquals((await service.wallet()).spent, 0n);
    await service.assertBooks();
  });

  Deno.test(`${surface}: a choice of what is not declared is named where it stands`, async () => {
    await using service = await TestService.start();
    const allowed = { mode: "auto", tools: [{ type: WEB.type }, { type: "file_search" }] };
    const [tool_choice, param] = surface === "chat"
      ? [{ type: "allowed_tools", allowed_tools: allowed }, "tool_choice.allowed_tools.tools.1"]
      : [{ type: "allowed_tools", ...allowed }, "tool_choice.tools.1"];
    const more = { tools: [WEB], tool_choice };
    const refused = await refusalOf(await askHosted(service, surface, { more }));
    assertEquals([refused.status, refused.param], [400, param]);
  });

  Deno.test(`${surface}: a key's policy limits the hosted tools`, async () => {
    await using service = await TestService.start();
    const web = await service.newKey({ policy: { hostedTools: ["web_search_preview"] } });
    const none = await service.newKey({ policy: { hostedTools: [] } });
    const store = async ({ wallet }: TestKey) => await storeWith(service, { wallet, text: "x" });
    const file = { type: "file_search", vector_store_ids: [await store(web)] };
    const ask = ({ key }: TestKey, ...tools: readonly unknown[]) =>
      askHosted(service, surface, { key, more: { tools } });
    const cases: readonly (readonly [TestKey, string, ...unknown[]])[] = [
      [web, "file_search", file],
      [none, "web_search_preview", WEB],
      [web, "file_search", WEB, file],
    ];
    for (const [key, named, ...tools] of cases) {
      const { status, code, message } = await refusalOf(await ask(key, ...tools));
      assertEquals([status, code], [403, "policy_denied"]);
      assertStringIncludes(message, named);
    }
    for (const alias of ["web_search", "web_search_preview_2025_03_11"]) {
      const answer = await ask(web, { type: alias });
      assertEquals([answer.status, await answer.text().then(() => alias)], [200, alias]);
    }
    const own = { name: "web_search", parameters: { type: "object", properties: {} } };
    const tool = surface === "chat"
      ? { type: "function", function: own }
      : { type: "function", ...own };
    const answer = await ask(none, tool);
    assertEquals(answer.status, 200, await answer.text());
    await service.assertBooks();
  });

  Deno.test(`${surface}: without a search server web search is refused, and nothing is made up`, async () => {
    await using upstream = new FakeUpstream();
    upstream.otherwise(json(completion()));
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    await using service = await TestService.start({ config });
    const { message, ...refused } = await refusalOf(await askHosted(service, surface));
    assertEquals(refused, { status: 400, code: "unsupported_tool", param: "tools" });
    assertStringIncludes(message, '"search"');
    assertEquals(upstream.requests.length, 0);
    await service.assertBooks();
  });
}

Deno.test("several choices with hosted tools are refused", async () => {
  await using service = await TestService.start();
  const answer = await askHosted(service, "chat", { more: { n: 2 } });
  const { status, code, param } = await refusalOf(answer);
  assertEquals([status, code, param], [400, "invalid_request", "n"]);
  const one = await askHosted(service, "chat", { more: { n: 1 } });
  assertEquals(one.status, 200, await one.text());
});
