/**
 * An upstream that thinks for long after its first words: comments keep the connection alive.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { KEEP_ALIVE_MS } from "../../gateway/flows/stream/answer_stream.ts";
import { readEvents, readUntil } from "../fixtures/event_stream.ts";
import {
  chunk,
  FakeUpstream,
  LAST_CHUNK,
  type Step,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import {
  chunkText,
  INPUT_MICROS,
  labConfig,
  OUTPUT_MICROS,
  QUESTION,
  usage,
  usageChunk,
} from "../fixtures/lab.ts";
import { ManualClock, TestService, until } from "../fixtures/service.ts";

const COMMENT = ": keep-alive\n\n";
const event = (text: string) => chunk(`data: ${text}\n\n`);

/** A clock that counts its reads: the watch over a silent stream reads it. */
class WatchedClock extends ManualClock {
  #reads = 0;

  override monotonicMs(): number {
    this.#reads++;
    return super.monotonicMs();
  }

  /** Lets time pass, and waits until somebody has seen it. */
  async pass(ms: number): Promise<void> {
    this.advance(ms);
    const before = this.#reads;
    await until(() => this.#reads > before, "the silence to be looked at");
  }
}

/** A service whose one upstream falls silent after its first words, until the gate opens. */
async function withSilence(...during: readonly Step[]) {
  const upstream = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  upstream.answer([
    streamHead(),
    event(chunkText({ role: "assistant", content: "Hello " })),
    ...during,
    { until: gate.promise },
    event(chunkText({ content: "there" })),
    event(chunkText({}, "stop")),
    event(usageChunk(usage(10, 5))),
    event("[DONE]"),
    LAST_CHUNK,
  ]);
  const clock = new WatchedClock();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const service = await TestService.start({ clock, config });
  return {
    clock,
    service,
    endSilence: () => gate.resolve(),
    /** The call was billed as if it had never paused. */
    async assertBilled() {
      await service.assertBooks();
      const { spent } = await service.wallet();
      assertEquals(spent, 10n * INPUT_MICROS + 5n * OUTPUT_MICROS);
    },
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const SILENCES: readonly { readonly what: string; readonly during: readonly Step[] }[] = [
  { what: "is silent", during: [] },
  { what: "only sends comments of its own", during: [chunk(": PROCESSING\n\n")] },
];

for (const { what, during } of SILENCES) {
  Deno.test(`a comment comes after every 15 s in which the upstream ${what}`, async () => {
    await using at = await withSilence(...during);
    const response = await at.service.chat({ messages: QUESTION, stream: true });
    assert(response.body !== null);
    const reader = response.body.getReader();
    let text = await readUntil(reader, "Hello ");
    for (let silence = 0; silence < 2; silence++) {
      // A comment ends a silence: the next one has its 15 s too.
      let came = false;
      const coming = readUntil(reader, "\n\n").finally(() => came = true);
      await at.clock.pass(KEEP_ALIVE_MS - 1);
      // Long enough for one that came too early to arrive.
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert(!came, "a comment came too early");
      await at.clock.pass(1);
      const comment = await coming;
      assertEquals(comment, COMMENT);
      text += comment;
    }
    at.endSilence();
    text += await readUntil(reader, "[DONE]\n\n");
    assert((await reader.read()).done);
    const { events, comments, last, done } = await readEvents(new Response(text));
    assertEquals(comments, [COMMENT.trimEnd(), COMMENT.trimEnd()]);
    assertEquals([done, last.choices, last.metadata?.billing?.output_tokens], [1, [], 5]);
    assertEquals(events.filter((one) => one.error !== undefined), []);
    await at.assertBilled();
  });
}

Deno.test("OpenAI's client sees nothing of the comments", async () => {
  await using at = await withSilence();
  let received = "";
  const client = at.service.client({
    fetch: async (input, init) => {
      const { body, status, headers } = await fetch(input, init);
      const seen = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          received += new TextDecoder().decode(bytes);
          controller.enqueue(bytes);
        },
      });
      return new Response(body?.pipeThrough(seen), { status, headers });
    },
  });
  const stream = client.chat.completions.stream({ model: "auto", messages: [...QUESTION] });
  await until(() => received.includes("Hello "), "the first words");
  for (const comments of [1, 2, 3]) {
    await at.clock.pass(KEEP_ALIVE_MS);
    await until(() => received.split(COMMENT).length - 1 === comments, `comment ${comments}`);
  }
  at.endSilence();
  const completion = await stream.finalChatCompletion();
  assertEquals(completion.choices[0]?.message.content, "Hello there");
  assertEquals(completion.choices[0]?.finish_reason, "stop");
  assertEquals(completion.usage?.completion_tokens, 5);
  assertEquals(received.split(COMMENT).length - 1, 3);
  await at.assertBilled();
});
