/**
 * Answers with hosted tools that end badly: callers and services that disconnect, upstreams that
 * fail between turns.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { formatCredits } from "../../gateway/domain/ledger/money.ts";
import { readResponseEvents } from "../conformance/open_responses/event_rules.ts";
import { readEvents, readUntil } from "../fixtures/event_stream.ts";
import { chunk, json, type Script, streamHead } from "../fixtures/fake_upstream.ts";
import {
  askHosted,
  assertHostedEvents,
  calling,
  calls,
  completionOf,
  type HostedLab,
  hostedLab,
  responseOf,
  saying,
  SEARCH_MICROS,
  searchFor,
  SURFACES,
  TURN_MICROS,
} from "../fixtures/hosted_lab.ts";
import { chunkText, usageChunk } from "../fixtures/lab.ts";
import { until } from "../fixtures/service.ts";

const event = (text: string) => chunk(`data: ${text}\n\n`);
/** A stream that says a word and nothing more. */
const STALLING: Script = [
  streamHead(),
  event(chunkText({ role: "assistant", content: "Hello" })),
  { stall: true },
];
/** A stream that says a word and breaks off. */
const BROKEN: Script = [...STALLING.slice(0, 2), { close: true }];
const [ROLE = "", CALL = ""] = calls(searchFor("never"));
/** A stream that breaks off within a call. */
const BROKEN_CALL: Script = [streamHead(), event(ROLE), event(CALL.slice(0, -9)), { close: true }];

/** Moments of an answer at which a side disconnects, with the cost by then. */
const PHASES: Readonly<
  Record<string, {
    set(lab: HostedLab): void;
    at(lab: HostedLab): Promise<unknown>;
    /** Last text that the caller has received. */
    readonly word?: string;
    readonly cost: bigint;
  }>
> = {
  "the first turn": {
    set: ({ model }) => model.answer(STALLING),
    at: ({ model }) => model.stalling(),
    word: "Hello",
    cost: 0n,
  },
  "a search": {
    set: ({ model, search }) => {
      model.answer(calling(searchFor("tides"), searchFor("boats")));
      search.answer([{ stall: true }], [{ stall: true }]);
    },
    at: ({ search }) => search.stalling(2),
    cost: TURN_MICROS,
  },
  "the beginning of a later turn": {
    set: ({ model }) => model.answer(calling(searchFor("tides")), [{ stall: true }]),
    at: ({ model }) => model.stalling(),
    cost: TURN_MICROS + SEARCH_MICROS,
  },
  "a later turn": {
    set: ({ model }) => model.answer(calling(searchFor("tides")), STALLING),
    at: ({ model }) => model.stalling(),
    word: "Hello",
    cost: TURN_MICROS + SEARCH_MICROS,
  },
};

/** Asserts that books and log agree, and that nothing is left open. */
async function assertEnded({ service }: HostedLab, outcome: string): Promise<bigint> {
  await until(() => service.running.gateway.inFlight.count === 0, "the request to end");
  const record = await service.lastRequest();
  assertEquals(record.outcome, outcome);
  const { spent } = await service.wallet();
  assertEquals(record.charged, formatCredits(spent));
  const { records } = await service.running.stores.log.search({ limit: 10 });
  assertEquals(records.length, 1);
  await service.assertBooks();
  return spent;
}

for (const [phase, { set, at, word, cost }] of Object.entries(PHASES)) {
  for (const surface of SURFACES) {
    Deno.test(`a caller leaves ${surface} in ${phase}`, async () => {
      for (const stream of [true, false]) {
        await using lab = await hostedLab();
        set(lab);
        const leaving = new AbortController();
        const pending = askHosted(lab.service, surface, { stream, signal: leaving.signal });
        if (stream) {
          const reader = (await pending).body?.getReader();
          assert(reader !== undefined);
          await at(lab);
          if (word !== undefined) await readUntil(reader, word);
          leaving.abort();
          await reader.closed.catch(() => {});
          // The response is held until here: else its signal could end nothing.
          assert((await pending).ok);
        } else {
          await at(lab);
          leaving.abort();
          await pending.catch(() => {});
        }
        const spent = await assertEnded(lab, "client_left");
        // Who streams has had a word of the turn at hand, as far as that got.
        if (stream && word !== undefined) assert(spent > cost);
        else assertEquals(spent, cost);
      }
    });

    Deno.test(`the service ends in ${phase} of ${surface}`, async () => {
      for (const stream of [true, false]) {
        await using lab = await hostedLab();
        set(lab);
        const pending = askHosted(lab.service, surface, { stream });
        await at(lab);
        if (stream) await pending;
        lab.service.running.gateway.inFlight.abortAll();
        const answer = await pending;
        const text = await answer.text();
        assertStringIncludes(text, "shutting_down");
        if (!stream) assertEquals(answer.status, 503);
        const spent = await assertEnded(lab, stream ? "cut" : "error");
        assert(spent >= cost);
        if (spent > 0n) assertStringIncludes(text, `"charged":"${formatCredits(spent)}"`);
      }
    });
  }
}

for (const surface of SURFACES) {
  Deno.test(`${surface}: an upstream is cut in a later turn`, async () => {
    for (const broken of [BROKEN, BROKEN_CALL]) {
      for (const stream of [true, false]) {
        await using lab = await hostedLab();
        const { model, service } = lab;
        model.answer(calling(searchFor("tides")), broken);
        const answer = await askHosted(service, surface, { stream });
        assertEquals(answer.status, stream ? 200 : 502);
        if (stream && surface === "responses") {
          const { output, metadata } = assertHostedEvents(
            await readResponseEvents(answer),
            "response.failed",
          );
          assertEquals(output[0]?.type, "web_search_call");
          const spent = await assertEnded(lab, "cut");
          assertEquals(metadata.billing?.charged, formatCredits(spent));
        } else if (stream) {
          const { done, last } = await readEvents(answer);
          assertEquals([done, last.choices, last.error?.code], [0, [], "upstream_error"]);
          await assertEnded(lab, "cut");
        } else {
          const { error, metadata } = await answer.json();
          assertEquals(error.code, "upstream_error");
          const spent = await assertEnded(lab, "error");
          // Nothing of the turn that broke off was delivered.
          assertEquals(spent, TURN_MICROS + SEARCH_MICROS);
          assertEquals(metadata.billing.charged, formatCredits(spent));
        }
      }
    }
  });
}

Deno.test("a later turn that fails before it began is asked of another model, and leaves no trace", async () => {
  const failures: readonly Script[] = [
    json({ error: { message: "Out of order" } }, { status: 500 }),
    [streamHead(), { close: true }],
    [streamHead(), event("{ not json"), { close: true }],
    [streamHead(), event('{"error":{"message":"overloaded"}}'), { close: true }],
  ];
  for (const failure of failures) {
    for (const stream of [true, false]) {
      await using lab = await hostedLab();
      const { model, second, service } = lab;
      model.answer(calling(searchFor("tides")), failure);
      second.answer(saying("Tides ", "turn."));
      const answer = await responseOf(await askHosted(service, "responses", { stream }));
      assertEquals(answer.output.map(({ type }) => type), ["web_search_call", "message"]);
      assertEquals(answer.output_text ?? "Tides turn.", "Tides turn.");
      const outcomes = answer.metadata.routing?.attempts.map(({ outcome }) => outcome);
      assertEquals([outcomes?.[0], outcomes?.[2], outcomes?.length], ["ok", "ok", 3]);
      assertEquals(await assertEnded(lab, "ok"), 2n * TURN_MICROS + SEARCH_MICROS);
    }
  }
});

Deno.test("all models are rate limited in a later turn: the caller receives Retry-After", async () => {
  for (const stream of [true, false]) {
    await using lab = await hostedLab();
    const { model, second, service } = lab;
    const limited = json({ error: { message: "Slow down" } }, {
      status: 429,
      headers: { "retry-after": "7" },
    });
    model.answer(calling(searchFor("tides")), limited);
    second.otherwise(limited);
    const answer = await askHosted(service, "chat", { stream });
    assertStringIncludes(await answer.text(), "rate_limit_exceeded");
    assertEquals(answer.status, stream ? 200 : 429);
    if (!stream) assertEquals(answer.headers.get("retry-after"), "7");
    const spent = await assertEnded(lab, stream ? "cut" : "error");
    assertEquals(spent, TURN_MICROS + SEARCH_MICROS);
  }
});

Deno.test("an upstream that hangs up after its last word has finished", async () => {
  await using lab = await hostedLab();
  const chunks = [chunkText({ role: "assistant", content: "Done" }), chunkText({}, "stop")];
  const whole = [...chunks, usageChunk({ prompt_tokens: 20, completion_tokens: 4 })];
  lab.model.answer(calling(searchFor("tides")), [
    streamHead(),
    ...whole.map(event),
    { close: true },
  ]);
  const { choices } = await completionOf(await askHosted(lab.service, "chat"));
  assertEquals(choices[0]?.message.content, "Done");
  assertEquals(await assertEnded(lab, "ok"), 2n * TURN_MICROS + SEARCH_MICROS);
});

Deno.test("a caller leaves in the last events: the answer is whole, kept and paid", async () => {
  await using lab = await hostedLab();
  const { model, service } = lab;
  model.answer(calling(searchFor("tides")), saying("Tides [1].", "x".repeat(400_000)));
  const leaving = new AbortController();
  const answer = await askHosted(service, "responses", { stream: true, signal: leaving.signal });
  const reader = answer.body?.getReader();
  assert(reader !== undefined);
  const begun = await readUntil(reader, "response.in_progress");
  const id = /"id":"(resp_\w+)"/.exec(begun)?.[1] ?? "";
  await until(
    async () => (await service.running.stores.log.search({ limit: 1 })).records.length > 0,
    "the end to be logged",
  );
  leaving.abort();
  await reader.closed.catch(() => {});
  assert(answer.ok);
  assertEquals(await assertEnded(lab, "ok"), 2n * TURN_MICROS + SEARCH_MICROS);
  const kept = await service.client().responses.retrieve(id);
  assertEquals(kept.status, "completed");
});
