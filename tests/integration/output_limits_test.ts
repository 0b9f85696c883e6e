/**
 * Output limits on their way to upstreams, and streams of upstreams that keep to none.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLess, assertStringIncludes } from "@std/assert";
import { ResourceWriter } from "../../gateway/wire/responses/resource.ts";
import { contextOf } from "../../gateway/wire/responses/responses_fixture.ts";
import { readResponseEvents } from "../conformance/open_responses/event_rules.ts";
import {
  askHosted,
  assertHostedEvents,
  calling,
  hostedLab,
  searchFor,
} from "../fixtures/hosted_lab.ts";
import { chunk, FakeUpstream, json, type Step, streamHead } from "../fixtures/fake_upstream.ts";
import {
  chunkText,
  completion,
  labConfig,
  type LabModel,
  QUESTION,
  usage,
  usageChunk,
} from "../fixtures/lab.ts";
import { askSplit, orchestrationLab, readAnswer, statuses } from "../fixtures/orchestrated.ts";
import { answered, postResponse } from "../fixtures/responses_calls.ts";
import { TestService } from "../fixtures/service.ts";

/** Output that the models of these tests give, in tokens. */
const MOST = 200;
/** An answer is ended at the latest after so many words. */
const ENDED_BY = 300;

const event = (text: string) => chunk(`data: ${text}\n\n`);
const WORD = "word ";

/** A chat answer without an end, which says early that it has cost nothing. */
function endless(deltaOf: (word: string) => Record<string, unknown> = (content) => ({ content })) {
  return [
    streamHead(),
    event(chunkText({ role: "assistant", content: "" })),
    event(usageChunk(usage(3, 0))),
    ...Array.from({ length: 1_000 }, () => event(chunkText(deltaOf(WORD)))),
    { stall: true },
  ] satisfies Step[];
}

/** The same from an upstream that speaks Responses. */
function endlessNative(): Step[] {
  let sequence_number = 0;
  const eventOf = (type: string, fields: object) =>
    event(JSON.stringify({ type, sequence_number: sequence_number++, ...fields }));
  const written = new ResourceWriter(contextOf()).text({
    ...{ id: "resp_1", status: "in_progress", usage: null, output: [] },
    metadata: { request_id: "upstream" },
  });
  const response = JSON.parse(written);
  const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress" };
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  return [
    streamHead(),
    eventOf("response.created", { response }),
    eventOf("response.in_progress", { response }),
    eventOf("response.output_item.added", { output_index: 0, item: { ...item, content: [] } }),
    eventOf("response.content_part.added", { ...place, part }),
    ...Array.from(
      { length: 1_000 },
      () => eventOf("response.output_text.delta", { ...place, delta: WORD, logprobs: [] }),
    ),
    { stall: true },
  ];
}

async function laboratory(model: Partial<LabModel> = {}) {
  const upstream = new FakeUpstream();
  upstream.otherwise(json(completion()));
  const config = labConfig({
    id: "only",
    baseUrl: upstream.baseUrl,
    maxOutputTokens: MOST,
    ...model,
  });
  const service = await TestService.start({ config });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

function wordsIn(text: string): number {
  return text.split(WORD.trim()).length - 1;
}

/** An answer that was ended: its upstream was left, and it was charged what was counted, or its hold. */
async function assertEnded(service: TestService, upstream: FakeUpstream): Promise<void> {
  await upstream.clientLeft();
  await service.assertBooks();
  const { outcome, status, estimated, outputTokens } = await service.lastRequest();
  assertEquals([outcome, status, estimated], ["ok", 200, true]);
  assertGreater(outputTokens, MOST);
  assertLess(outputTokens, ENDED_BY);
}

Deno.test("a chat stream that passes its held tokens ends with finish reason length", async () => {
  await using at = await laboratory();
  at.upstream.answer(endless());
  const response = await at.service.chat({ messages: QUESTION, stream: true });
  const text = await response.text();
  assertStringIncludes(text, '"finish_reason":"length"');
  assert(text.endsWith("data: [DONE]\n\n"));
  const last = JSON.parse(text.split("data: ").at(-2) ?? "");
  assertEquals(last.usage.completion_tokens, last.metadata.billing.output_tokens);
  assertLess(wordsIn(text), ENDED_BY);
  await assertEnded(at.service, at.upstream);
});

Deno.test("reasoning and the input of calls are output, too", async () => {
  const call = (piece: string) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  for (const deltaOf of [(word: string) => ({ reasoning_content: word }), call]) {
    await using at = await laboratory();
    at.upstream.answer(endless(deltaOf));
    const response = await at.service.chat({ messages: QUESTION, stream: true });
    assertStringIncludes(await response.text(), '"finish_reason":"length"');
    await assertEnded(at.service, at.upstream);
  }
});

Deno.test("the held tokens are those of all choices", async () => {
  await using at = await laboratory();
  at.upstream.answer(endless());
  const body = { messages: QUESTION, stream: true, max_tokens: 20, n: 2, best_of: 5 };
  const text = await (await at.service.chat(body)).text();
  assertGreater(wordsIn(text), 20 * 4);
  assertLess(wordsIn(text), 20 * 5 + 64);
  await at.upstream.clientLeft();
});

for (const kind of ["openai-compatible", "openai"] as const) {
  Deno.test(`a response of "${kind}" that passes its held tokens is incomplete`, async () => {
    await using at = await laboratory({ upstream: { kind } });
    at.upstream.answer(kind === "openai" ? endlessNative() : endless());
    const response = await postResponse(at.service, { input: "Hi", stream: true });
    const resource = assertHostedEvents(
      await readResponseEvents(response),
      "response.incomplete",
    );
    assertEquals(resource.incomplete_details, { reason: "max_output_tokens" });
    const [message] = resource.output;
    assert(message?.type === "message");
    assertEquals(message.status, "incomplete");
    const [part] = message.content;
    assert(part?.type === "output_text");
    const words = wordsIn(part.text);
    assert(words > MOST && words < ENDED_BY, `${words}`);
    assertEquals(resource.usage?.output_tokens, resource.metadata?.billing?.output_tokens);
    await assertEnded(at.service, at.upstream);
  });
}

Deno.test("a turn of a hosted answer that passes its held tokens is its last", async () => {
  for (const surface of ["chat", "responses"] as const) {
    await using lab = await hostedLab({ more: { maxOutputTokens: MOST } });
    lab.model.answer(calling(searchFor("tides")), endless());
    const answer = await (await askHosted(lab.service, surface)).json();
    if (surface === "chat") assertEquals(answer.choices[0].finish_reason, "length");
    else assertEquals(answer.incomplete_details, { reason: "max_output_tokens" });
    assertLess(wordsIn(JSON.stringify(answer)), ENDED_BY);
    await lab.model.clientLeft();
    await lab.service.assertBooks();
  }
});

Deno.test("a limit is passed on, lowered or added in the field that the upstream takes", async () => {
  const sent = async (model: Partial<LabModel>, body: object) => {
    await using at = await laboratory(model);
    const response = await at.service.chat({ messages: QUESTION, ...body });
    const { metadata } = await response.json();
    const { max_tokens, max_completion_tokens } = JSON.parse(at.upstream.last.text);
    const limit = metadata.routing.output_limit;
    const says = /output is limited to \d+ tokens/.test(metadata.routing.reason);
    assertEquals(says, limit !== undefined);
    return [max_tokens, max_completion_tokens, limit];
  };
  const openai = { upstream: { kind: "openai" } };
  const older = { upstream: { kind: "openai", outputLimitField: "max_tokens" } };
  const unknown = { more: { maxOutputTokens: undefined } };
  assertEquals(await sent({}, {}), [undefined, undefined, undefined]);
  assertEquals(await sent({}, { max_tokens: 50 }), [50, undefined, undefined]);
  assertEquals(await sent(openai, { max_tokens: 50 }), [undefined, 50, undefined]);
  assertEquals(await sent(older, { max_completion_tokens: 50 }), [50, undefined, undefined]);
  assertEquals(await sent({}, { max_tokens: 1_000_000 }), [MOST, undefined, MOST]);
  assertEquals(await sent(openai, { max_tokens: 1_000_000 }), [undefined, MOST, MOST]);
  assertEquals(await sent(unknown, {}), [16_384, undefined, 16_384]);
  assertEquals(await sent({ ...unknown, ...openai }, {}), [undefined, 16_384, 16_384]);
});

Deno.test("a huge limit of a response is lowered to what its model has", async () => {
  for (const kind of ["openai-compatible", "openai"] as const) {
    await using at = await laboratory({ upstream: { kind } });
    if (kind === "openai") {
      const output = [{ id: "msg_1", type: "message", role: "assistant", content: [] }];
      at.upstream.otherwise(
        json({ id: "resp_1", object: "response", status: "completed", output }),
      );
    }
    const { metadata } = await answered(at.service, { input: "Hi", max_output_tokens: 1e9 });
    assertEquals(metadata?.routing?.output_limit, MOST);
    const { max_output_tokens, max_tokens } = JSON.parse(at.upstream.last.text);
    assertEquals(kind === "openai" ? max_output_tokens : max_tokens, MOST);
  }
});

Deno.test("a task that exceeds its held tokens is cut off, and the answer is still generated", async () => {
  const models = [{ id: "one", maxOutputTokens: 2 * MOST }];
  await using lab = await orchestrationLab({ models });
  lab.upstream.on("tea", { stallAfter: WORD.repeat(1_000) });
  const answer = await readAnswer(await askSplit(lab.service, { stream: true }), true);
  assertEquals([answer.text, answer.error], ["The answer.", undefined]);
  assertEquals(statuses(answer)["tea"], "done");
  assertStringIncludes(lab.upstream.callsFor("final")[0]?.text ?? "", "cut off here");
  assertEquals(lab.upstream.disconnected, 1);
  await lab.service.assertBooks();
});
