import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ChatMessage, ChatTool, ToolCall } from "@svc/sdk/protocol";
import { ask, complete } from "./chat_fixture.ts";

function searchTool(name: string, properties: object = { query: { type: "string" } }) {
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}

const web = searchTool("web_search");
const files = searchTool("file_search");

async function callsFor(question: string, tools: ChatTool[], more = {}): Promise<ToolCall[]> {
  const completion = await complete(ask(question, { tools, ...more }), { model: "sim-small" });
  return completion.choices[0]?.message.tool_calls ?? [];
}

async function called(question: string, tools: ChatTool[]): Promise<string[]> {
  return (await callsFor(question, tools)).map((call) => call.function.name);
}

/** Returns the answer to a question whose searches had these results. */
async function answerTo(question: string, ...results: readonly string[]): Promise<string> {
  const calls = results.map((_, at) => ({
    id: `c${at}`,
    type: "function" as const,
    function: { name: "web_search", arguments: "{}" },
  }));
  const echo: ChatMessage = { role: "assistant", content: null, tool_calls: calls };
  const answers = results.map((content, at): ChatMessage => (
    { role: "tool", tool_call_id: `c${at}`, content }
  ));
  const { messages, ...rest } = ask(question, { tools: [web] });
  const body = { ...rest, messages: [...messages, echo, ...answers] };
  const completion = await complete(body, { model: "sim-small" });
  assertEquals(completion.choices[0]?.message.tool_calls, undefined);
  return completion.choices[0]?.message.content ?? "";
}

Deno.test("a question that needs a search is searched for, as the query", async () => {
  for (
    const question of [
      "Search for tidal power",
      "Please look the tide tables up",
      "Find a harbour",
      "What is the latest on tides?",
      "Any news today?",
      "What is new in Deno?",
      "搜索潮汐能",
      "今天有什么新闻？",
    ]
  ) {
    const [call, ...more] = await callsFor(question, [web]);
    assertEquals(more, []);
    assertEquals(call?.function, {
      name: "web_search",
      arguments: JSON.stringify({ query: question }),
    });
  }
  for (const question of ["Hello", "Why is the sea salty?", "你好", "I profile models"]) {
    assertEquals(await called(question, [web, files]), [], question);
  }
});

Deno.test("files are searched for what is in files, the web for the rest", async () => {
  const both = [web, files];
  assertEquals(await called("What do the documents say of hinges?", both), ["file_search"]);
  assertEquals(await called("文件里怎么说？", both), ["file_search"]);
  assertEquals(await called("Search for hinges", both), ["web_search"]);
  assertEquals(await called("Search the files and the web for hinges", both), [
    "web_search",
    "file_search",
  ]);
  // What is not offered cannot be chosen.
  assertEquals(await called("What do the documents say?", [web]), ["web_search"]);
  assertEquals(await called("What is the latest?", [files]), ["file_search"]);
  assertEquals(await called("Search", [searchTool("hosted_web_search")]), ["hosted_web_search"]);
});

Deno.test("a function of the name that takes no query is like any other", async () => {
  assertEquals(await called("Search for tides", [searchTool("web_search", {})]), []);
  assertEquals(await called("Search for tides", [searchTool("my_web_search")]), []);
});

Deno.test("a query is one line of bounded length, also where the search is demanded", async () => {
  const long = `Search  for\n${"tide ".repeat(5_000)}`;
  const forced = { tool_choice: { type: "function", function: { name: "web_search" } } };
  for (const more of [{}, forced]) {
    const [call] = await callsFor(long, [web], more);
    const { query } = JSON.parse(call?.function.arguments ?? "{}");
    assert(query.startsWith("Search for tide tide") && query.length <= 200);
  }
  const [call] = await callsFor("Hello", [web], forced);
  assertEquals(call?.function.arguments, '{"query":"Hello"}');
});

Deno.test("search results are stated in a sentence that cites its sources", async () => {
  const pages = ["Tides", "Harbours", "Boats", "Fish"].map((title, at) => (
    { source: at + 1, title, url: `https://a.example/${at}`, text: "x" }
  ));
  const text = await answerTo("Search for tides", JSON.stringify({ results: pages }));
  assertStringIncludes(text, '[simulated] I found "Tides" [1]; "Harbours" [2]; "Boats" [3]. You');
  const passage = {
    source: 7,
    filename: "handbook.md",
    text: `closed  on\n${"Mondays ".repeat(99)}`,
  };
  const quoted = await answerTo("Search the files", JSON.stringify({ results: [passage] }));
  assertMatch(quoted, /I found in handbook\.md: "closed on Mondays [^"]*…" \[7\]\./);
  assertStringIncludes(
    await answerTo("搜索潮汐", JSON.stringify({ results: pages.slice(0, 2) })),
    "【模拟】 我找到：《Tides》[1]；《Harbours》[2]。",
  );
});

Deno.test("an empty result is stated; a value that is not a search result is shown unchanged", async () => {
  const nothing = '{"results":[],"note":"Nothing was found."}';
  assertStringIncludes(await answerTo("Search for tides", nothing), "The search found nothing.");
  assertStringIncludes(await answerTo("搜索潮汐", nothing), "没有搜索到任何内容。");
  for (const other of ['{"error":{"code":"x"}}', '{"results":[1]}', '{"results":', "plain"]) {
    const text = await answerTo("Search for tides", other);
    assertStringIncludes(text, `The tools returned: web_search: ${other}.`);
  }
  const mixed = await answerTo("Search", '{"results":[{"source":1,"title":"T"}]}', "36");
  assertStringIncludes(mixed, 'I found "T" [1]. The tools returned: web_search: 36.');
});
