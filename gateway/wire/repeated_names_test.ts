/**
 * Names of streamed tool calls as upstreams say them: in pieces, and again with every piece of the
 * input.
 */

import { assertEquals } from "@std/assert";
import { ChatChunkRelay } from "./chat/chunk_relay.ts";
import { HostedChatRelay } from "./hosted/chat_relay.ts";
import { HOSTED } from "./hosted/hosted_fixture_test.ts";
import { ResponseEventRelay } from "./responses/event_relay.ts";
import { chunkText, contextOf, END } from "./responses/responses_fixture.ts";
import { addedName } from "./chat/tool_calls.ts";

/** Everything that follows streamed tool calls. */
const RELAYS = {
  "the chat relay": () => new ChatChunkRelay("fast-mini"),
  "the relay of hosted chat": () =>
    new HostedChatRelay("fast-mini", {
      hosted: HOSTED,
      createdSeconds: 3,
      newCallId: () => "made",
    }),
  "the relay of responses": () => new ResponseEventRelay(contextOf(), { hosted: HOSTED }),
};

/** The calls that come of pieces: id, name and input of each. */
const CASES: Readonly<Record<string, { pieces: unknown[]; calls: string[][] }>> = {
  "a name that comes again without its id": {
    pieces: [
      { index: 0, id: "a", function: { name: "web", arguments: "" } },
      { index: 0, function: { name: "web", arguments: '{"n":' } },
      { index: 0, function: { name: "web", arguments: "1}" } },
      { index: 0, function: { name: "web", arguments: "" } },
    ],
    calls: [["a", "web", '{"n":1}']],
  },
  "a name that comes again with its id": {
    pieces: [
      { index: 0, id: "a", function: { name: "web", arguments: "" } },
      { index: 0, id: "a", function: { name: "web", arguments: "{}" } },
      { index: 0, id: "a", function: { name: "web", arguments: "" } },
    ],
    calls: [["a", "web", "{}"]],
  },
  "a name that comes again where no call has an id": {
    pieces: [
      { index: 0, function: { name: "web", arguments: "" } },
      { index: 0, function: { name: "web", arguments: "{}" } },
    ],
    calls: [["", "web", "{}"]],
  },
  "a name in pieces": {
    pieces: [
      { index: 0, id: "a", function: { name: "web_" } },
      { index: 0, function: { name: "sear" } },
      { index: 0, id: "a", function: { name: "ches", arguments: "{}" } },
    ],
    calls: [["a", "web_searches", "{}"]],
  },
};

function callsOf(relay: { readonly toolCalls: ChatChunkRelay["toolCalls"] }): string[][] {
  return relay.toolCalls.map(({ id, name, arguments: input }) => [id, name, input]);
}

for (const [who, relayOf] of Object.entries(RELAYS)) {
  for (const [what, { pieces, calls }] of Object.entries(CASES)) {
    Deno.test(`${who} understands ${what}`, () => {
      const relay = relayOf();
      for (const piece of pieces) relay.accept(chunkText({ tool_calls: [piece] }));
      const ids = callsOf(relay).map(([id]) => id);
      assertEquals(callsOf(relay), calls.map(([, ...rest], at) => [ids[at] ?? "", ...rest]));
      if (calls[0]?.[0] !== "") assertEquals(ids, calls.map(([id]) => id));
    });
  }

  Deno.test(`${who} doubles no name of a second call with the first one's id`, () => {
    const relay = relayOf();
    for (const index of [0, 1]) {
      for (const input of ["", "{", "}"]) {
        const called = { name: "web", arguments: input };
        relay.accept(chunkText({ tool_calls: [{ index, id: "a", function: called }] }));
      }
    }
    const named = callsOf(relay).map(([, ...rest]) => rest);
    assertEquals(named, [["web", "{}"], ["web", "{}"]]);
  });
}

Deno.test("a call of a hosted tool whose name comes again is never shown", () => {
  for (const who of ["the relay of hosted chat", "the relay of responses"] as const) {
    const relay = RELAYS[who]();
    const called = (input: string) => ({ name: HOSTED.web_search_preview, arguments: input });
    const first = { index: 0, id: "a", function: called("") };
    let sent = relay.accept(chunkText({ tool_calls: [first] }));
    for (const input of ['{"query":', '"x"}']) {
      sent += relay.accept(chunkText({ tool_calls: [{ index: 0, function: called(input) }] }));
    }
    const { calls } = relay.endTurn();
    assertEquals(calls.map(({ name }) => name), [HOSTED.web_search_preview]);
    sent += [...relay.completed(END)].join("");
    assertEquals(sent.includes(HOSTED.web_search_preview), false);
  }
});

Deno.test("a hosted answer says a name once: clients that join its pieces would double it", () => {
  const relay = RELAYS["the relay of hosted chat"]();
  const names: unknown[] = [];
  let kept = "";
  const called = (name: string, input: string) => ({ name, arguments: input });
  for (
    const [piece, more] of [
      [{ index: 0, id: "a", type: "function", function: called("get_", "") }, {}],
      [{ index: 0, function: { name: "weather" } }, {}],
      [{ index: 0, id: "a", function: called("get_weather", '{"n":') }, { thought_signature: "S" }],
      [{ index: 0, function: called("get_weather", "1}") }, {}],
      [{ index: 1, id: "b", function: called("get_weather", "{}") }, {}],
      [{ index: 1, function: called("get_weather", "") }, {}],
    ] as const
  ) {
    const text = relay.accept(chunkText({ tool_calls: [{ ...piece, ...more }] }));
    kept += text;
    for (const line of text.split("\n").filter((line) => line.startsWith("data: {"))) {
      for (const call of JSON.parse(line.slice(6)).choices[0]?.delta.tool_calls ?? []) {
        names[call.index] = (names[call.index] ?? "") + (call.function.name ?? "");
      }
    }
  }
  assertEquals(names, ["get_weather", "get_weather"]);
  assertEquals(kept.includes('"thought_signature":"S"'), true);
});

Deno.test("a piece adds its new part; two equal pieces count as one", () => {
  assertEquals(addedName("", "web"), "web");
  assertEquals(addedName("web", "web"), "");
  assertEquals(addedName("web", "_search"), "_search");
  for (const nothing of ["", null, undefined, 5]) assertEquals(addedName("web", nothing), "");
});
