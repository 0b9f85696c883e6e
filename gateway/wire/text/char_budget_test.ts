import { assert, assertEquals, assertThrows } from "@std/assert";
import { UpstreamCut } from "../../ports/upstream.ts";
import type { AnswerRelay } from "../answer_relay.ts";
import { ChatRelay } from "../chat/relay.ts";
import { HostedChatRelay } from "../hosted/chat_relay.ts";
import { ANSWER_MAX_CHARS, CharBudget, ITEM_CHARS } from "./char_budget.ts";
import { ResponseEventRelay } from "../responses/event_relay.ts";
import { chunkText, contextOf, END } from "../responses/responses_fixture.ts";

const RELAYS: Readonly<Record<string, () => AnswerRelay>> = {
  chat: () => new ChatRelay("m"),
  responses: () => new ResponseEventRelay(contextOf()),
  "responses in JSON": () =>
    new ResponseEventRelay(contextOf({ text: { format: { type: "json_object" } } }), {
      hosted: { web_search_preview: "web_search" },
    }),
  hosted: () => new HostedChatRelay("m", { createdSeconds: 1, newCallId: () => "call_1" }),
};

const LONG = "x".repeat(64 * 1024);

/** Deltas of which there may not be any number. */
const ENDLESS: Readonly<Record<string, (at: number) => Readonly<Record<string, unknown>>>> = {
  "calls without input": (at) => ({
    tool_calls: [{ index: at, id: `call_${at}`, function: { name: "f", arguments: "" } }],
  }),
  "input of a call": () => ({ tool_calls: [{ index: 0, function: { arguments: LONG } }] }),
  "a name": (at) => ({ tool_calls: [{ index: 0, function: { name: `${at}${LONG}` } }] }),
  "signatures of a call": (at) => ({
    tool_calls: [{ index: 0, id: "a", extra_content: { [`k${at}`]: LONG } }],
  }),
  "signatures of text": (at) => ({ content: "a", extra_content: { [`k${at}`]: LONG } }),
  "citations": (at) => ({
    annotations: [{ type: "url_citation", url_citation: { url: `https://a.example/${at}` } }],
  }),
  "text and thoughts in turns": (at) => at % 2 ? { reasoning_content: "a" } : { content: "b" },
  "text and refusals in turns": (at) => at % 2 ? { refusal: "a" } : { content: "b" },
  "thoughts": () => ({ reasoning_content: LONG }),
  "refusals": () => ({ refusal: LONG }),
  "text": () => ({ content: LONG }),
};

// Chat passes text and citations on and keeps none; one message holds all of a hosted answer's text.
const UNKEPT: Readonly<Record<string, readonly string[]>> = {
  chat: Object.keys(ENDLESS).filter((name) => !/call|name/.test(name)),
  hosted: ["text and thoughts in turns", "text and refusals in turns"],
};

for (const [name, relayOf] of Object.entries(RELAYS)) {
  Deno.test(`${name}: endless and nonsensical text is cut`, () => {
    for (const [what, delta] of Object.entries(ENDLESS)) {
      if (UNKEPT[name]?.includes(what)) continue;
      const relay = relayOf();
      const most = ANSWER_MAX_CHARS / ITEM_CHARS + 1;
      const error = assertThrows(
        () => {
          for (let at = 0; at < most; at += 1) relay.accept(chunkText(delta(at)));
        },
        UpstreamCut,
        "exceeds",
        what,
      );
      assertEquals(error.outcome, "malformed");
    }
  });

  Deno.test(`${name}: reading and writing grow linearly with the answer`, () => {
    const work = (count: number) =>
      charsOfJson(() => {
        const relay = relayOf();
        for (let at = 0; at < count; at += 1) {
          const extra_content = { [`k${at}`]: "v".repeat(100) };
          relay.accept(chunkText({ content: "a", extra_content }));
          relay.accept(chunkText({ tool_calls: [{ index: 0, id: "a", extra_content }] }));
        }
        assert([...relay.completed(END)].length > 0);
        assertEquals(relay.toolCalls[0]?.opaque.size, 1);
      });
    assert(work(400) < 5 * work(100));
  });
}

Deno.test("the stored text has a fixed limit", () => {
  const kept = new CharBudget();
  kept.add(ANSWER_MAX_CHARS);
  kept.add(0);
  assertThrows(() => kept.add(1), UpstreamCut);
});

/** Characters that pass through JSON while something runs. */
function charsOfJson(run: () => void): number {
  const { parse, stringify } = JSON;
  let chars = 0;
  JSON.parse = (text, ...more) => {
    chars += String(text).length;
    return parse(text, ...more);
  };
  JSON.stringify = (value: unknown) => {
    const text = stringify(value);
    chars += text?.length ?? 0;
    return text;
  };
  try {
    run();
  } finally {
    Object.assign(JSON, { parse, stringify });
  }
  return chars;
}
