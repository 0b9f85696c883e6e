import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ChatCompletion, ChatCompletionChunk } from "@svc/sdk/protocol";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { chatChunkSchema, chatCompletionSchema } from "../../http/schemas/chat_answer.ts";
import { InvariantError } from "../../domain/invariant.ts";
import { UpstreamCut } from "../../ports/upstream.ts";
import { HostedChatRelay } from "./chat_relay.ts";
import { citeMarks, HOSTED, played, script, turnOf, usageOf } from "./hosted_fixture_test.ts";
import type { HostedCall, HostedOptions } from "./relay.ts";
import { bodyOf, chunkText, END, failureOf } from "../responses/responses_fixture.ts";

const WEB: HostedCall = { id: "ws_1", type: "web_search_preview", query: "rain" };
const search = { name: HOSTED.web_search_preview, arguments: "{}" };

function relayOf(options: HostedOptions = {}): HostedChatRelay {
  let count = 0;
  return new HostedChatRelay("fast-mini", {
    hosted: HOSTED,
    createdSeconds: 3,
    newCallId: () => `made_${++count}`,
    ...options,
  });
}

function chunksIn(sent: string): ChatCompletionChunk[] {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(sent);
  return data.filter((text) => text !== "[DONE]").map((text) => {
    const chunk = JSON.parse(text);
    assertEquals(chatChunkSchema.safeParse(chunk).error?.issues, undefined, text);
    return chunk;
  });
}

function deltasOf(sent: string) {
  return chunksIn(sent).flatMap(({ choices }) => choices.map(({ delta }) => delta));
}

function wholeOf(relay: HostedChatRelay): ChatCompletion {
  const whole = JSON.parse(relay.complete ?? "");
  assertEquals(chatCompletionSchema.safeParse(whole).error?.issues, undefined);
  return whole;
}

/** Checks rules that hold for every stream. */
function checkStream(sent: string): void {
  assert(sent.endsWith("data: [DONE]\n\n"));
  const chunks = chunksIn(sent);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  assertEquals(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size, 1);
  assert(chunks.every(({ model }) => model === "fast-mini"));
  assertEquals(choices.map(({ delta }) => "role" in delta).lastIndexOf(true), 0);
  assertEquals(choices[0]?.delta.role, "assistant");
  let calls = 0;
  for (const { index } of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    assert(index <= calls);
    calls = Math.max(calls, index + 1);
  }
  const finishes = choices.map(({ finish_reason }) => finish_reason);
  assertEquals(finishes.filter((reason) => reason !== null).length, 1);
  assert(finishes.at(-1) !== null);
  const last = chunks.at(-1);
  assertEquals(last?.choices, []);
  assertEquals(last?.metadata?.request_id, "req_1");
  assert(chunks.slice(0, -1).every((chunk) => (chunk.usage ?? null) === null));
}

/** Returns the answer that OpenAI's client builds from the stream. */
async function collected(sent: string) {
  const lines = chunksIn(sent).map((chunk) => `${JSON.stringify(chunk)}\n`);
  const stream = ChatCompletionStream.fromReadableStream(new Blob(lines).stream());
  const { id, created, choices, usage } = await stream.finalChatCompletion();
  const { message, finish_reason } = choices[0] ?? {};
  return {
    ...{ id, created, usage, finish_reason },
    content: message?.content || null,
    annotations: message?.annotations,
    calls: message?.tool_calls?.map((call) => {
      assert(call.type === "function");
      return [call.id, call.function.name, call.function.arguments];
    }),
  };
}

function summaryOf({ id, created, usage, choices }: ChatCompletion) {
  const { message, finish_reason } = choices[0] ?? {};
  return {
    ...{ id, created, usage, finish_reason },
    content: message?.content || null,
    annotations: message?.["annotations"],
    calls: message?.tool_calls?.map((call) => [
      call.id,
      call.function.name,
      call.function.arguments,
    ]),
  };
}

Deno.test("any turns make one answer, for OpenAI's client as well", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (turns) => {
      const relay = relayOf({ cite: citeMarks });
      const { sent, turns: ended, calls } = played(relay, turns);
      checkStream(sent);
      for (const name of Object.values(HOSTED)) assert(!sent.includes(`"name":"${name}"`));
      const whole = wholeOf(relay);
      assertEquals<unknown>(await collected(sent), summaryOf(whole));
      const texts = turns.map(({ content }) => content).filter((content) => content !== "");
      assertEquals(whole.choices[0]?.message.content ?? "", texts.join("\n\n"));
      assertEquals(
        deltasOf(sent).map((delta) => delta["reasoning_content"] ?? "").join(""),
        turns.map(({ reasoning }) => reasoning).join(""),
      );
      const own = turns.at(-1)?.calls.filter(({ name }) => !Object.values(HOSTED).includes(name));
      assertEquals(whole.choices[0]?.message.tool_calls?.length ?? 0, own?.length);
      for (const { extra } of own ?? []) {
        assert(extra === undefined || sent.includes(`"extra_content":${extra}`));
        assert(extra === undefined || relay.complete?.includes(`"extra_content":${extra}`));
      }
      assertEquals(
        whole.metadata?.hosted_tools?.map(({ id }) => id) ?? [],
        calls.map(({ id }) => id),
      );
      assertEquals(whole.usage?.prompt_tokens, usageOf(turns.length).inputTokens);
      assertEquals(whole.usage?.completion_tokens_details?.reasoning_tokens, 2 * turns.length);
      for (const [at, { message, calls }] of ended.entries()) {
        const parsedMessage = JSON.parse(message);
        assertEquals(parsedMessage.content, turns[at]?.content || null);
        assertEquals(calls.map(({ name }) => name), turns[at]?.calls.map(({ name }) => name));
        assertEquals((parsedMessage.tool_calls ?? []).length, calls.length);
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("a chunk keeps its bytes but for what makes one answer of many", () => {
  const relay = relayOf();
  const text = '{"id":"c1","object":"chat.completion.chunk","created":7,"model":"up","big":1.0,' +
    '"choices":[{"index":0,"delta":{"role":"assistant","content":"\\u00e9"},' +
    '"logprobs":{"n":1e2},"finish_reason":null}]}';
  assertEquals(relay.accept(text), `data: ${text.replace('"up"', '"fast-mini"')}\n\n`);
  const plain = text.replace('"role":"assistant",', "");
  for (const piece of ["\\u00e9", "a", 'say \\"x\\"']) {
    const next = plain.replace("\\u00e9", () => piece);
    assertEquals(relay.accept(next), `data: ${next.replace('"up"', '"fast-mini"')}\n\n`);
  }
  relay.endTurn();
  const later = plain.replace("c1", "c2").replace('"created":7', '"created":8');
  const first = relay.accept(later);
  assertEquals(
    first,
    `data: ${plain.replace('"up"', '"fast-mini"').replace("\\u00e9", "\\n\\né")}\n\n`,
  );
  assertEquals(relay.accept(later), `data: ${plain.replace('"up"', '"fast-mini"')}\n\n`);
  assertEquals(relay.delivered.join(""), "éé");
});

Deno.test("searches are noted, with what they found", () => {
  const passage = { file_id: "f1", filename: "a.md", score: 1, text: "A", attributes: {} };
  const relay = relayOf();
  const turns = [
    turnOf({ calls: [search, { name: HOSTED.file_search, arguments: "{}" }, search] }),
    turnOf({ content: "Rain", finish: "tool_calls" }),
  ];
  const { sent } = played(
    relay,
    turns,
    ({ id, type }) =>
      id === "ws_2" ? { status: "failed" } : {
        status: "completed",
        ...(type === "file_search" ? { passages: [passage] } : { urls: ["u"] }),
      },
  );
  checkStream(sent);
  const { metadata, choices } = wholeOf(relay);
  assertEquals<unknown>(metadata?.hosted_tools, [
    {
      type: "web_search_call",
      id: "ws_0",
      status: "completed",
      action: { type: "search", query: "query ws_0", sources: [{ type: "url", url: "u" }] },
    },
    {
      type: "file_search_call",
      id: "fs_1",
      status: "completed",
      queries: ["query fs_1"],
      results: [passage],
    },
    {
      type: "web_search_call",
      id: "ws_2",
      status: "failed",
      action: { type: "search", query: "query ws_2" },
    },
  ]);
  assertEquals(chunksIn(sent).at(-1)?.metadata, metadata);
  assertEquals(choices[0]?.finish_reason, "stop");
  assertThrows(() => relay.searched(WEB, { status: "failed" }), InvariantError, "ws_1");
});

Deno.test("citations come once, their places those of the whole message", () => {
  const relay = relayOf({ cite: citeMarks });
  let sent = relay.accept(chunkText({ content: "One!" }));
  relay.endTurn();
  const file = {
    type: "file_citation",
    file_citation: { file_id: "f", filename: "f.md", index: 1 },
  };
  const page = { url: "u", title: "t", start_index: 0, end_index: 2 };
  sent += relay.accept(chunkText({ content: "Two", annotations: [file, page] }));
  sent += relay.accept(
    chunkText({ annotations: [{ type: "url_citation", url_citation: page }] }),
  );
  for (const event of relay.completed(END)) sent += event;
  checkStream(sent);
  const cited = deltasOf(sent).filter((delta) => delta["annotations"] !== undefined);
  const page_ = { url: "https://a.test/", title: "A", start_index: 3, end_index: 4 };
  assertEquals<unknown>(cited, [{
    annotations: [
      { ...file, file_citation: { ...file.file_citation, index: 7 } },
      { type: "url_citation", url_citation: { ...page, start_index: 6, end_index: 8 } },
      { type: "url_citation", url_citation: page_ },
    ],
  }]);
  assertEquals(wholeOf(relay).choices[0]?.message["annotations"], cited[0]?.["annotations"]);
});

Deno.test("why an answer ended: the caller's calls, a cut, or the model's own word", () => {
  const own = { name: "f", arguments: "{}" };
  const cases = [
    [[own], "stop", "tool_calls"],
    [[search, own], "tool_calls", "tool_calls"],
    [[own], "length", "length"],
    [[search], "tool_calls", "stop"],
    [[search], "content_filter", "content_filter"],
    [[], "stop", "stop"],
  ] as const;
  for (const [calls, finish, expected] of cases) {
    const relay = relayOf();
    checkStream(played(relay, [turnOf({ calls, finish })]).sent);
    assertEquals(wholeOf(relay).choices[0]?.finish_reason, expected);
  }
});

Deno.test("calls without an id or a name, and pieces that come late, still make sense", () => {
  const relay = relayOf();
  const delta = (...tool_calls: unknown[]) => relay.accept(chunkText({ tool_calls }));
  let sent = delta({ index: 0, type: "function", function: { name: "f", arguments: "{" } });
  sent += delta({ index: 0, id: "late", function: { arguments: "}" } });
  sent += delta({ index: 1, function: { name: "we", arguments: "" } });
  sent += delta({ index: 1, function: { name: "b", arguments: "1" } });
  sent += delta({ index: 2, function: { name: "web_search", arguments: "{}" } });
  sent += delta({ index: 3, id: "n", function: { arguments: "2" } });
  sent += delta({ index: 4, id: "s", function: { name: "web_search", arguments: "{" } });
  sent += delta({ index: 4, id: "s", function: { name: "web_search", arguments: "}" } });
  const { calls, events, finishReason } = relay.endTurn();
  sent += events;
  assertEquals(calls.map(({ id, name }) => [id, name]), [
    ["made_1", "f"],
    ["made_2", "web"],
    ["made_3", "web_search"],
    ["n", ""],
    ["s", "web_search"],
  ]);
  assertEquals(finishReason, "stop");
  for (const event of relay.completed(END)) sent += event;
  checkStream(sent);
  assert(!sent.includes("late"));
  const shown = wholeOf(relay).choices[0]?.message.tool_calls;
  assertEquals(shown?.map((call) => [call.id, call.function.arguments]), [
    ["made_1", "{}"],
    ["made_2", "1"],
    ["n", "2"],
  ]);
});

Deno.test("an answer with nothing in it still begins and ends", () => {
  const relay = relayOf();
  const sent = [...relay.completed(END)].join("");
  checkStream(sent);
  const { id, created, choices } = wholeOf(relay);
  assertEquals([id, created, choices[0]?.message.content], ["chatcmpl-empty", 3, ""]);
  assertEquals(relay.delivered, []);
});

Deno.test("a refusal, text in parts, and a signature of text", () => {
  const relay = relayOf();
  let sent = relay.accept(chunkText({ content: [{ type: "text", text: "a" }] }));
  sent += relay.accept(chunkText("@").replace('"@"', '{"refusal":"No","extra_content":{"n":1.0}}'));
  sent += relay.accept(chunkText({ content: "other" }, { index: 1 }));
  sent += relay.accept('{"prompt_filter_results":[]}');
  sent += relay.accept(chunkText(null, { finish_reason: "content_filter" }));
  assert(relay.finished);
  assertEquals(
    relay.endTurn().message,
    '{"role":"assistant","content":"a","refusal":"No","extra_content":{"n":1.0}}',
  );
  for (const event of relay.completed(END)) sent += event;
  checkStream(sent);
  const { message } = wholeOf(relay).choices[0] ?? {};
  assertEquals([message?.content, message?.refusal], ["a", "No"]);
  assert(relay.complete?.includes('"extra_content":{"n":1.0}'));
});

Deno.test("a turn's delivered text, usage and calls stay readable until the next begins", () => {
  const relay = relayOf();
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  relay.accept(chunkText({ content: "one", tool_calls: [{ id: "a", function: search }] }));
  assert(!relay.finished);
  relay.accept(chunkText({}, { finish_reason: "tool_calls", usage }));
  relay.endTurn();
  assertEquals(relay.delivered.join(" "), "one web_search {}");
  assertEquals([relay.finished, relay.usage?.inputTokens, relay.toolCalls.length], [true, 1, 1]);
  relay.accept(chunkText({ content: "two" }));
  assertEquals(relay.delivered, ["two"]);
  assertEquals([relay.finished, relay.usage, relay.toolCalls.length], [false, undefined, 0]);
  assertEquals(JSON.parse(relay.endTurn().message).content, "two");
  assertEquals(JSON.parse(relay.endTurn().message).content, null);
});

Deno.test("a failure is one event; an event that is not a chunk breaks the stream", () => {
  const relay = relayOf();
  const failure = failureOf("upstream_error", "No");
  const events = [...relay.failed(failure)];
  assertEquals(events.length, 1);
  assertEquals(bodyOf(events[0]?.slice("data: ".length) ?? "").value, { ...failure, choices: [] });
  assertEquals(relay.complete, undefined);
  assertThrows(() => relay.accept("{no"), UpstreamCut);
});

Deno.test("members that upstreams left out are reported at the end, for any turn", () => {
  const relay = relayOf();
  const warned = (line: string) => {
    const chunk = JSON.parse(chunkText({ role: "assistant", content: "" }));
    return JSON.stringify({ ...chunk, upstream_warnings: [line] });
  };
  let sent = relay.accept(warned("seed"));
  relay.endTurn();
  sent += relay.accept(warned("user")) + relay.accept(chunkText({ content: "Hi" }));
  sent += [...relay.completed(END)].join("");
  const [first] = chunksIn(sent);
  assertEquals(first?.["upstream_warnings"], ["seed"]);
  assertEquals(chunksIn(sent).at(-1)?.["upstream_warnings"], ["seed", "user"]);
  assertEquals(wholeOf(relay)["upstream_warnings"], ["seed", "user"]);
});

Deno.test("whole calls of one delta stay apart, each with an id of its own", () => {
  for (const id of [undefined, "", "same"]) {
    const relay = relayOf();
    const call = (input: string) => ({
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { name: "lookup", arguments: input },
    });
    relay.accept(chunkText({ tool_calls: [call('{"a":1}'), call('{"a":2}')] }));
    const { calls } = relay.endTurn();
    assertEquals(calls.map((made) => made.arguments), ['{"a":1}', '{"a":2}']);
    assertEquals(new Set(calls.map((made) => made.id)).size, 2);
    assert([...relay.completed(END)].length > 0);
    assertEquals(
      wholeOf(relay).choices[0]?.message.tool_calls?.map((made) => made.id),
      calls.map((made) => made.id),
    );
  }
});
