/**
 * Behaviour of every upstream of chat completions, for each provider's wire: requests and answers
 * in Chat's form, and the rules of `transport_contract.ts`.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { ToolCallDelta } from "@svc/sdk/protocol";
import type { UpstreamCall } from "../../gateway/ports/upstream.ts";
import { ChatChunkRelay } from "../../gateway/wire/chat/chunk_relay.ts";
import { readChatUsage } from "../../gateway/wire/chat/usage.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { chunk, json, LAST_CHUNK, type Script } from "../fixtures/fake_upstream.ts";
import { readAll } from "../fixtures/openai_compatible.ts";
import { type Spoken, spokenOf } from "../fixtures/spoken.ts";
import { PDF, PERSON, PIXEL, WEATHER } from "../fixtures/upstreams/received_request.ts";
import { type Recorded, SIGNATURE, type Wire } from "../fixtures/upstreams/wire.ts";
import { casesOf, headOf, type OpenUpstream, type StagedCase } from "./staged_case.ts";
import { transportContract } from "./transport_contract.ts";

/** An upstream to hold against the contract. */
export interface UpstreamSubject {
  /** The provider's wire format. */
  readonly wire: Wire;
  readonly open: OpenUpstream;
  /** The model that it is asked for. @default {"real-model"} */
  readonly model?: string;
}

const USER = { role: "user", content: "Weather?" };

/** Holds an upstream against every case. */
export function upstreamContract(name: string, subject: UpstreamSubject): void {
  new UpstreamContract(name, subject).declare();
}

class UpstreamContract {
  readonly #name: string;
  readonly #subject: UpstreamSubject;
  readonly #case: StagedCase;

  constructor(name: string, subject: UpstreamSubject) {
    this.#name = name;
    this.#subject = subject;
    this.#case = casesOf(name, subject.open);
  }

  declare(): void {
    this.#declareAnswers();
    this.#declareRequests();
    this.#declareParts();
    transportContract(this.#name, {
      wire: this.#subject.wire,
      open: this.#subject.open,
      call: (more) => this.#call({}, more),
      relay: () => new ChatChunkRelay("auto"),
    });
  }

  /** One recorded answer, whole and streamed: both say the same. */
  #answer(sentence: string, recorded: Recorded, prove: (spoken: Spoken) => void): void {
    for (const stream of [false, true]) {
      this.#case(`${sentence}${stream ? ", streamed" : ""}`, async ({ fake, upstream }) => {
        fake.answer(this.#script(recorded, stream));
        const tools = { tools: [WEATHER] };
        prove(await spokenOf(await upstream.call(this.#call(tools, { stream }))));
      });
    }
  }

  #declareAnswers(): void {
    const { cached, cacheWrites = 0, length, parallel, refusal, text, tool } = this.#subject.wire;
    this.#answer("text", text, (spoken) => {
      assertEquals([spoken.content, spoken.finish, spoken.calls], ["Hello there", "stop", []]);
      assertEquals([spoken.usage?.prompt_tokens, spoken.usage?.completion_tokens], [12, 5]);
    });
    this.#answer("a tool call", tool, (spoken) => {
      assertEquals(spoken.finish, "tool_calls");
      assertEquals(citiesOf(spoken), ["Oslo"]);
      assert(spoken.calls.every((call) => call.id !== "" && call.function.name === "get_weather"));
    });
    this.#answer("parallel tool calls, each with an id of its own", parallel, (spoken) => {
      assertEquals(spoken.finish, "tool_calls");
      assertEquals(citiesOf(spoken), ["Oslo", "Rome"]);
      assertEquals(new Set(spoken.calls.map((call) => call.id)).size, 2);
    });
    this.#answer("an answer that the limit cut", length, (spoken) => {
      assertEquals([spoken.content, spoken.finish], ["Hello", "length"]);
    });
    this.#answer("usage with what the cache held", cached, (spoken) => {
      assertEquals([spoken.usage?.prompt_tokens, spoken.usage?.completion_tokens], [100, 5]);
      const { cached_tokens, cache_write_tokens = 0 } = spoken.usage?.prompt_tokens_details ?? {};
      assertEquals([cached_tokens, cache_write_tokens], [80, cacheWrites]);
      assertEquals(readChatUsage(spoken.usage)?.cacheWriteInputTokens ?? 0, cacheWrites);
    });
    if (refusal === undefined) return;
    this.#answer("a refusal", refusal, (spoken) => {
      assertEquals(spoken.finish, "content_filter");
    });
  }

  #declareRequests(): void {
    const { parallel, text, read } = this.#subject.wire;
    this.#case("tools and their results travel to the provider", async ({ fake, upstream }) => {
      fake.answer(this.#script(parallel, false), this.#script(text, false));
      const first = await spokenOf(await upstream.call(this.#call({ tools: [WEATHER] })));
      const spoken = await spokenOf(await upstream.call(this.#call(continued(first))));
      assertEquals(spoken.content, "Hello there");
      const seen = read(JSON.parse(fake.last.text));
      assertEquals(seen.tools, ["get_weather"]);
      assertEquals(seen.results, ["Rain in Oslo", "Rain in Rome"]);
      assertEquals(seen.texts.at(0), "Be brief");
    });
    this.#case("a picture and the output limit travel", async ({ fake, upstream }) => {
      fake.answer(this.#script(text, false));
      const image_url = { url: `data:image/png;base64,${PIXEL}` };
      const content = [{ type: "text", text: "What is it?" }, { type: "image_url", image_url }];
      const call = this.#call({ messages: [{ role: "user", content }] }, { outputLimit: 77 });
      await spokenOf(await upstream.call(call));
      const seen = read(JSON.parse(fake.last.text));
      assertEquals([seen.images, seen.maxTokens], [[PIXEL], 77]);
      assertEquals(seen.texts, ["What is it?"]);
    });
  }

  #declareParts(): void {
    const { parallel, schema, signed, text, read } = this.#subject.wire;
    this.#case("a document travels, or is refused by name", async ({ fake, upstream }) => {
      fake.answer(this.#script(text, false));
      const file = { file_data: `data:application/pdf;base64,${PDF}`, filename: "a.pdf" };
      const content = [{ type: "text", text: "What is it?" }, { type: "file", file }];
      const answer = await upstream.call(this.#call({ messages: [{ role: "user", content }] }));
      if (answer.kind === "failure") {
        assertEquals(answer.outcome, "refused_input");
        assertEquals(answer.param, "messages.0.content.1.file.file_data");
        assertEquals(fake.requests.length, 0);
      } else assertEquals(read(JSON.parse(fake.last.text)).documents, [PDF]);
    });
    this.#case("calls in a stream have an index each", async ({ fake, upstream }) => {
      fake.answer(this.#script(parallel, true));
      const { events } = await readAll(
        await upstream.call(this.#call({ tools: [WEATHER] }, { stream: true })),
      );
      const deltas: ToolCallDelta[] = events.flatMap((event) =>
        JSON.parse(event).choices[0]?.delta.tool_calls ?? []
      );
      const opened = deltas.filter((delta) => delta.id !== undefined);
      assertEquals(opened.map((delta) => delta.index), [0, 1]);
      assert(deltas.every((delta) => delta.index === 0 || delta.index === 1));
    });
    for (const stream of [false, true]) {
      const how = stream ? ", streamed" : "";
      this.#case(`a JSON schema holds${how}`, async ({ fake, upstream }) => {
        fake.answer(this.#script(schema, stream));
        const json_schema = { name: "person", schema: PERSON };
        const response_format = { type: "json_schema", json_schema };
        const call = this.#call({ response_format }, { stream });
        assertEquals((await spokenOf(await upstream.call(call))).content, '{"name":"Ada"}');
        const seen = read(JSON.parse(fake.last.text)).schema;
        assert(typeof seen === "object" && seen !== null && "properties" in seen);
        assertEquals(seen.properties, PERSON.properties);
      });
      if (signed === undefined) continue;
      this.#case(`signatures come back byte for byte${how}`, async ({ fake, upstream }) => {
        fake.answer(this.#script(signed, stream), this.#script(text, stream));
        const first = await spokenOf(
          await upstream.call(this.#call({ tools: [WEATHER] }, { stream })),
        );
        assertEquals(citiesOf(first), ["Oslo", "Rome"]);
        await spokenOf(await upstream.call(this.#call(continued(first), { stream })));
        assertEquals(read(JSON.parse(fake.last.text)).signatures, [SIGNATURE]);
      });
    }
  }

  #call(fields: Readonly<Record<string, unknown>>, more: Partial<UpstreamCall> = {}): UpstreamCall {
    const model = this.#subject.model ?? "real-model";
    return callOf({ messages: [USER], ...fields }, { model, ...more });
  }

  #script(recorded: Recorded, stream: boolean): Script {
    if (!stream) return json(recorded.json);
    return [headOf(this.#subject.wire), ...recorded.frames.map(chunk), LAST_CHUNK];
  }
}

function citiesOf(spoken: Spoken): unknown[] {
  return spoken.calls.map((call) => JSON.parse(call.function.arguments).city);
}

/** The next turn: the calls as they came, each with its result. */
function continued(first: Spoken) {
  const results = first.calls.map((call) => ({
    role: "tool",
    tool_call_id: call.id,
    content: `Rain in ${JSON.parse(call.function.arguments).city}`,
  }));
  const assistant = { role: "assistant", content: null, tool_calls: first.calls };
  const system = { role: "system", content: "Be brief" };
  return { messages: [system, USER, assistant, ...results], tools: [WEATHER] };
}
