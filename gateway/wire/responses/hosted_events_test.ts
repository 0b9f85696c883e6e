import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvariantError } from "../../domain/invariant.ts";
import {
  citeMarks,
  HOSTED,
  played,
  script,
  turnOf,
  usageOf,
} from "../hosted/hosted_fixture_test.ts";
import type { HostedCall, HostedOutcome } from "../hosted/relay.ts";
import { ResponseEventRelay } from "./event_relay.ts";
import {
  checkEvents,
  chunkText,
  collected,
  contextOf,
  END,
  eventsOf,
  failureOf,
  METADATA,
} from "./responses_fixture.ts";

const PASSAGE = {
  file_id: "file_1",
  filename: "a.md",
  score: 0.5,
  text: "A",
  attributes: { team: "blue", year: 2, open: true },
};
const FOUND: HostedOutcome = {
  status: "completed",
  urls: ["https://a.test/"],
  passages: [PASSAGE],
};
const WEB: HostedCall = { id: "ws_1", type: "web_search_preview", query: "rain" };
const FILE: HostedCall = { id: "fs_1", type: "file_search", query: "notes" };
const search = { name: HOSTED.web_search_preview, arguments: "{}" };
const ownNames = (names: readonly string[]) =>
  names.filter((name) => !Object.values(HOSTED).includes(name));

Deno.test("any turns make one response, for OpenAI's client as well", async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (turns, fails) => {
      const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED, cite: citeMarks });
      const status = fails ? "failed" : "completed";
      const { sent, turns: ended, calls } = played(relay, turns, () => ({ status }));
      const events = eventsOf(sent);
      const last = checkEvents(events);
      assertEquals(JSON.parse(relay.complete ?? ""), last);
      assertEquals(await collected(events), last);
      const ids = last.output.map((item) => item.id);
      assertEquals(new Set(ids).size, ids.length);
      const done = events.filter((event) => event.type === "response.output_item.done")
        .toSorted((one, other) => one.output_index - other.output_index);
      assertEquals(done.map(({ item }) => item), last.output);
      const named = last.output.filter((item) => item.type === "function_call");
      assertEquals(
        named.map(({ name }) => name),
        ownNames(turns.flatMap((turn) => turn.calls).map(({ name }) => name)),
      );
      const searches = last.output.filter((item) => /search_call/.test(item.type));
      assertEquals(
        searches.map((item) => [item.id, item.status]),
        calls.map(({ id }) => [id, status]),
      );
      const messages = last.output.filter((item) => item.type === "message");
      assertEquals(
        messages.map(({ content }) =>
          content.map((part) => "text" in part ? part.text : "").join()
        ),
        turns.map(({ content }) => content).filter((content) => content !== ""),
      );
      for (const [at, { message, calls, finishReason }] of ended.entries()) {
        const parsedMessage = JSON.parse(message);
        assertEquals(parsedMessage.content, turns[at]?.content || null);
        assertEquals(finishReason, turns[at]?.finish);
        assertEquals((parsedMessage.tool_calls ?? []).length, turns[at]?.calls.length);
        for (const [index, call] of calls.entries()) {
          const extra = turns[at]?.calls[index]?.extra;
          assert(extra === undefined || call.text.includes(`"extra_content":${extra}`));
          assert(message.includes(call.text));
        }
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("a search between two turns, event by event", () => {
  const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED, cite: citeMarks });
  const { sent } = played(relay, [
    turnOf({ content: "Hm", calls: [search], finish: "tool_calls" }),
    turnOf({ content: "Rain!" }),
  ]);
  const events = eventsOf(sent);
  const { output, usage } = checkEvents(events);
  assertEquals(events.map(({ type }) => type.replace("response.", "")), [
    ...["created", "in_progress", "output_item.added", "content_part.added"],
    ...["output_text.delta", "output_text.done", "content_part.done", "output_item.done"],
    ...["output_item.added", "web_search_call.in_progress", "web_search_call.searching"],
    ...["web_search_call.completed", "output_item.done"],
    ...["output_item.added", "content_part.added", "output_text.delta"],
    ...["output_text.annotation.added", "output_text.done", "content_part.done"],
    ...["output_item.done", "completed"],
  ]);
  const action = { type: "search", query: "query ws_0" };
  assertEquals<unknown>(output[1], {
    type: "web_search_call",
    id: "ws_0",
    status: "completed",
    action,
  });
  const cited = events.find(({ type }) => type === "response.output_text.annotation.added");
  assert(output[2]?.type === "message" && output[2].content[0]?.type === "output_text");
  assertEquals<unknown>(output[2].content[0].annotations, [cited?.["annotation"]]);
  assertEquals(usage, {
    input_tokens: usageOf(2).inputTokens,
    input_tokens_details: { cached_tokens: 6, cache_write_tokens: 0 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 28,
  });
});

Deno.test("a search's results are shown if the request asks for them", () => {
  for (const isAsked of [true, false]) {
    const include = isAsked ? ["web_search_call.action.sources", "file_search_call.results"] : [];
    const relay = new ResponseEventRelay(contextOf({ include }), { hosted: HOSTED });
    let sent = relay.searching(WEB) + relay.searching(FILE);
    sent += relay.searched(FILE, FOUND) + relay.searched(WEB, FOUND);
    for (const event of relay.completed(END)) sent += event;
    const { output } = checkEvents(eventsOf(sent));
    const sources = isAsked ? { sources: [{ type: "url", url: "https://a.test/" }] } : {};
    assertEquals(output[0]?.["action"], { type: "search", query: "rain", ...sources });
    assertEquals(output[1]?.["queries"], ["notes"]);
    assertEquals(output[1]?.["results"], isAsked ? [PASSAGE] : null);
  }
});

Deno.test("a failed search is reported once; an unfinished one has failed", () => {
  const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED });
  let sent = relay.searching(WEB) + relay.searched(WEB, { status: "failed" });
  assertThrows(() => relay.searched(WEB, FOUND), InvariantError, "ws_1");
  assertThrows(() => relay.searched(FILE, FOUND), InvariantError, "fs_1");
  sent += relay.searching(FILE);
  for (const event of relay.completed(END)) sent += event;
  const events = eventsOf(sent);
  const { output } = checkEvents(events);
  assertEquals(output.map(({ status }) => status), ["failed", "failed"]);
  assert(!events.some(({ type }) => type.endsWith("search_call.completed")));
});

Deno.test("a failure in mid-search tells what there was", () => {
  const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED });
  relay.accept(chunkText({ content: "Hm" }));
  relay.endTurn();
  relay.searching(WEB);
  const failure = failureOf("upstream_error", "No");
  const events = eventsOf(
    [...relay.failed(failure, { metadata: METADATA, usage: END.usage })].join(""),
  );
  assert(events[0]?.type === "response.failed");
  assertEquals(events[0].response.output.map(({ status }) => status), ["completed", "failed"]);
  assertEquals(relay.complete, undefined);
});

Deno.test("a turn's delivered text, usage and calls stay readable until the next begins", () => {
  const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED });
  relay.accept(chunkText({ content: "one" }));
  relay.accept(chunkText({ tool_calls: [{ id: "a", function: search }] }));
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  relay.accept(chunkText({}, { finish_reason: "tool_calls", usage }));
  relay.endTurn();
  relay.searching(WEB);
  assertEquals(relay.delivered, ["one", search.name, "{}"]);
  assertEquals([relay.finished, relay.usage?.inputTokens, relay.toolCalls.length], [true, 1, 1]);
  relay.accept(chunkText({ content: "two" }));
  assertEquals(relay.delivered, ["two"]);
  assertEquals([relay.finished, relay.usage, relay.toolCalls.length], [false, undefined, 0]);
  assertEquals(JSON.parse(relay.endTurn().message), { role: "assistant", content: "two" });
  assertEquals(JSON.parse(relay.endTurn().message), { role: "assistant", content: null });
  assertEquals([relay.delivered, relay.finished], [[], false]);
});

Deno.test("a turn's message keeps refusals, signatures of text, and ids that were missing", () => {
  const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED });
  relay.accept(chunkText("@").replace('"@"', '{"content":"a","extra_content":{"n":1.0}}'));
  relay.accept(chunkText({ refusal: "No" }));
  relay.accept(chunkText({ tool_calls: [{ index: 0, function: search }] }));
  const { message, calls, finishReason } = relay.endTurn();
  const [call] = calls;
  assertEquals(finishReason, "stop");
  assert(call !== undefined && call.id.startsWith("call_"));
  assertEquals(
    message,
    `{"role":"assistant","content":"a","refusal":"No","tool_calls":[${call.text}],"extra_content":{"n":1.0}}`,
  );
});
