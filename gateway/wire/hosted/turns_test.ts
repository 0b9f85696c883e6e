/**
 * One answer of several turns where the turns differ: in who wrote them, and in which of them counts.
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { HostedChatRelay } from "./chat_relay.ts";
import { citeMarks, HOSTED, played, script } from "./hosted_fixture_test.ts";
import { ResponseEventRelay } from "../responses/event_relay.ts";
import {
  checkEvents,
  chunkText,
  contextOf,
  END,
  eventsOf,
  failureOf,
} from "../responses/responses_fixture.ts";

const search = { name: HOSTED.web_search_preview, arguments: "{}" };

function lastTurnRelay(): HostedChatRelay {
  return new HostedChatRelay("fast-mini", {
    hosted: HOSTED,
    cite: citeMarks,
    createdSeconds: 3,
    newCallId: () => "made",
    lastTurnOnly: true,
  });
}

/** The deltas of a stream's chunks. */
function deltasOf(sent: string) {
  return sent.split("\n\n").filter((event) => event.startsWith("data: {"))
    .flatMap((event) => JSON.parse(event.slice("data: ".length)).choices)
    .map(({ delta }) => delta);
}

function messageOf({ complete }: HostedChatRelay) {
  return JSON.parse(complete ?? "").choices[0].message;
}

Deno.test("of any turns the last one's text alone is the content, streamed and whole", () => {
  fc.assert(
    fc.property(script, (turns) => {
      const relay = lastTurnRelay();
      const { sent, turns: ended } = played(relay, turns);
      const content = turns.at(-1)?.content ?? "";
      assertEquals(deltasOf(sent).map((delta) => delta.content ?? "").join(""), content);
      const message = messageOf(relay);
      assertEquals(message.content ?? "", content);
      const marks = [...content.matchAll(/!/g)];
      assertEquals(
        (message.annotations ?? []).map((cited: Record<string, { start_index: number }>) =>
          cited["url_citation"]?.start_index
        ),
        marks.map(({ index }) => index),
      );
      // The models themselves go on from all that was said.
      for (const [at, { message }] of ended.entries()) {
        assertEquals(JSON.parse(message).content, turns[at]?.content || null);
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("citations of a turn that does not count go with its text", () => {
  const relay = lastTurnRelay();
  const annotations = [{ type: "url_citation", url: "u", start_index: 0, end_index: 1 }];
  relay.accept(chunkText({ content: "One!", annotations }));
  relay.endTurn();
  relay.accept(chunkText({ content: "Two", annotations }));
  const sent = [...relay.completed(END)].join("");
  const [cited, ...others] = messageOf(relay).annotations;
  assertEquals([cited.url_citation.start_index, others.length], [0, 0]);
  assert(!sent.includes("One!"));
});

Deno.test("held-back text counts as delivered once its turn is complete", () => {
  const relay = lastTurnRelay();
  relay.accept(chunkText({ reasoning_content: "why", content: "{" }));
  assertEquals(relay.delivered, ["why"]);
  relay.accept(chunkText({ content: "}" }, { finish_reason: "stop" }));
  assertEquals(relay.delivered, ["why", "{", "}"]);
  relay.endTurn();
  relay.accept(chunkText({ content: "[]" }));
  assertEquals(relay.delivered, []);
  // A clean end is one, whatever the upstream said of it.
  relay.upstreamEnded();
  assertEquals(relay.delivered, ["[]"]);
});

Deno.test("chat: chunks carry the name of the model that wrote them", () => {
  const relay = new HostedChatRelay("one", {
    hosted: HOSTED,
    createdSeconds: 3,
    newCallId: () => "made",
  });
  const first = relay.accept(chunkText({ content: "a" })) +
    relay.accept(chunkText({ content: "b" }));
  relay.endTurn();
  relay.answeredBy("two");
  const later = relay.accept(chunkText({ content: "c" })) +
    relay.accept(chunkText({ content: "d" }));
  const end = [...relay.completed(END)].join("");
  assertEquals([...first.matchAll(/"model":"(\w+)"/g)].map(([, name]) => name), ["one", "one"]);
  assertEquals([...later.matchAll(/"model":"(\w+)"/g)].map(([, name]) => name), ["two", "two"]);
  assert(end.includes('"model":"two"') && !end.includes('"model":"one"'));
  assertEquals(JSON.parse(relay.complete ?? "").model, "two");
});

Deno.test("responses: the last event names the model of the last turn, also after a failure", () => {
  for (const fails of [false, true]) {
    const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED });
    const first = relay.accept(chunkText({ content: "a" })) + relay.endTurn().events;
    relay.answeredBy("other");
    const later = relay.accept(chunkText({ content: "b" }));
    const end = fails ? relay.failed(failureOf("upstream_error", "No"), END) : relay.completed(END);
    const events = eventsOf(first + later + [...end].join(""));
    const names = events.flatMap((event) =>
      "response" in event ? [Object(event.response).model] : []
    );
    assertEquals(names, ["fast-mini", "fast-mini", "other"]);
  }
});

Deno.test("a limit that is reached between turns cuts the answer", () => {
  const chat = lastTurnRelay();
  for (const text of [{ tool_calls: [{ index: 0, id: "a", function: search }] }, {}]) {
    chat.accept(chunkText(text));
  }
  chat.endTurn();
  chat.limitReached();
  assert([...chat.completed(END)].join("").includes('"finish_reason":"length"'));
  const relay = new ResponseEventRelay(contextOf(), { hosted: HOSTED });
  let sent = relay.accept(chunkText({ content: "Let me see" }));
  sent += relay.endTurn().events;
  relay.limitReached();
  sent += [...relay.completed(END)].join("");
  const { status, incomplete_details, output } = checkEvents(eventsOf(sent));
  assertEquals([status, incomplete_details?.reason], ["incomplete", "max_output_tokens"]);
  assertEquals(output.map(({ type }) => type), ["message"]);
});

const JSON_FORMAT = { text: { format: { type: "json_object" } } } as const;

function jsonResponse(): ResponseEventRelay {
  return new ResponseEventRelay(contextOf(JSON_FORMAT), { hosted: HOSTED, cite: citeMarks });
}

Deno.test("responses: with JSON output, the last turn's message is the only one", () => {
  fc.assert(
    fc.property(script, (turns) => {
      const { sent, turns: ended } = played(jsonResponse(), turns);
      const { output } = checkEvents(eventsOf(sent));
      const messages = output.filter((item) => item.type === "message");
      const content = turns.at(-1)?.content ?? "";
      const parts = messages.flatMap((message) => message.content);
      assertEquals(parts.map((part) => "text" in part ? part.text : "").join(""), content);
      assertEquals(messages.length, content === "" ? 0 : 1);
      const marks = [...content.matchAll(/!/g)].map(({ index }) => index);
      assertEquals(
        parts.flatMap((part) => "annotations" in part ? Object(part).annotations : [])
          .map((cited: { start_index: number }) => cited.start_index),
        marks,
      );
      // The models themselves go on from all that was said.
      for (const [at, { message }] of ended.entries()) {
        assertEquals(JSON.parse(message).content, turns[at]?.content || null);
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("responses: held-back text comes before the caller's calls, signed and cited", () => {
  const relay = jsonResponse();
  const annotations = [{ type: "url_citation", url: "u", start_index: 0, end_index: 1 }];
  const chunk = chunkText({ content: "{}", annotations }).replace(
    '"annotations"',
    () => '"extra_content":{"n":1.0},"annotations"',
  );
  assert(!relay.accept(chunk).includes("message"));
  assertEquals(relay.delivered, []);
  relay.accept(chunkText({ refusal: "No" }));
  const own = { index: 0, id: "a", function: { name: "f", arguments: "{}" } };
  const called = relay.accept(chunkText({ tool_calls: [own] }));
  assert(called.includes("response.output_text.delta"));
  assertEquals(relay.delivered, ["{}", "No", "f", "{}"]);
  const { message } = relay.endTurn();
  assertEquals([JSON.parse(message).content, JSON.parse(message).refusal], ["{}", "No"]);
  const end = [...relay.completed(END)].join("");
  const { output } = JSON.parse(relay.complete ?? "");
  assertEquals(output.map(({ type }: { type: string }) => type), ["message", "function_call"]);
  const [text, refusal] = output[0].content;
  assertEquals([text.text, text.annotations.length, refusal.refusal], ["{}", 1, "No"]);
  assert(end.includes('"extra_content":{"n":1.0}'));
});

Deno.test("responses: held text counts as delivered once its turn is whole, and goes with it", () => {
  const relay = jsonResponse();
  relay.accept(chunkText({ reasoning_content: "why", content: "Let me" }));
  relay.accept(chunkText({ content: " look." }));
  assertEquals(relay.delivered, ["why"]);
  relay.upstreamEnded();
  assertEquals(relay.delivered.join(""), "whyLet me look.");
  relay.endTurn();
  let sent = relay.accept(chunkText({ content: "{" }));
  assertEquals(relay.delivered, []);
  sent += [...relay.failed(failureOf("upstream_error", "No"), END)].join("");
  assert(!sent.includes("look"));
});

Deno.test("responses: without JSON, or without hosted tools, nothing is held back", () => {
  for (
    const relay of [
      new ResponseEventRelay(contextOf(), { hosted: HOSTED }),
      new ResponseEventRelay(contextOf(JSON_FORMAT)),
    ]
  ) {
    assert(relay.accept(chunkText({ content: "now" })).includes("response.output_text.delta"));
  }
});
