/**
 * The routes of a Responses request: through an upstream with Responses, or translated to another
 * kind of upstream.
 *
 * @module
 */

import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../../fixtures/fake_upstream.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { TestService } from "../../fixtures/service.ts";
import { ANTHROPIC } from "../../fixtures/upstreams/anthropic.ts";
import { GOOGLE } from "../../fixtures/upstreams/google.ts";
import {
  NativeResponses,
  readNative,
  type Said,
} from "../../fixtures/upstreams/native_responses.ts";
import { OPENAI } from "../../fixtures/upstreams/openai.ts";
import type { Seen, Wire } from "../../fixtures/upstreams/wire.ts";

/** Answer of an upstream. */
export type AnswerKind = "text" | "signed" | "tool" | "parallel" | "schema" | "refusal" | "length";

/** A service with one upstream behind it. */
export interface ResponseRoute extends AsyncDisposable {
  readonly service: TestService;
  /** Sets the upstream's next answer. */
  prepare(kind: AnswerKind, stream: boolean): void;
  /** Returns the content that the upstream received last; `undefined` where it records none. */
  seen(): Seen | undefined;
}

/** A response route, and its differences. */
export interface RoutePlan {
  readonly name: string;
  /** Text of the answer `text`; `undefined` where the model chooses it. */
  readonly text?: string;
  /** The function that `tool` calls. */
  readonly tool: string;
  /** Cases that do not apply. */
  readonly without: readonly (AnswerKind | "image" | "file")[];
  start(): Promise<ResponseRoute>;
}

const TAGS = ["tools", "json", "vision", "files"];

const NATIVE_ANSWERS: Readonly<Record<AnswerKind, Said>> = {
  text: {},
  tool: { items: [callOf("Oslo")] },
  parallel: {
    items: [{ type: "reasoning", summary: "They ask for two." }, callOf("Oslo"), callOf("Rome")],
  },
  signed: {},
  schema: { items: [{ type: "message", texts: ['{"name":', '"Ada"}'] }] },
  refusal: { items: [{ type: "message", refusal: "Not this" }] },
  length: { items: [{ type: "message", texts: ["Hello"] }], incomplete: "max_output_tokens" },
};

function callOf(city: string) {
  const input = JSON.stringify({ city });
  return { type: "function_call", name: "get_weather", arguments: input } as const;
}

/** An upstream of kind `openai`: the request goes through as it is. */
export const NATIVE: RoutePlan = {
  name: "pass-through",
  text: "Hello there",
  tool: "get_weather",
  // The upstream keeps the signatures of reasoning.
  without: ["signed"],
  async start() {
    const fake = new NativeResponses();
    const upstream = { kind: "openai" };
    const service = await TestService.start({
      config: labConfig({ id: "m", baseUrl: fake.baseUrl, upstream, featureTags: TAGS }),
    });
    return {
      service,
      prepare: (kind) => fake.say(NATIVE_ANSWERS[kind]),
      seen: () => readNative(fake.last.body),
      [Symbol.asyncDispose]: () => both(service, fake),
    };
  },
};

function translated(
  kind: string,
  wire: Wire,
  upstreamModel: string,
): RoutePlan {
  return {
    name: kind,
    text: "Hello there",
    tool: "get_weather",
    without: [],
    async start() {
      const fake = new FakeUpstream();
      const model = { id: "m", baseUrl: fake.baseUrl, upstream: { kind }, featureTags: TAGS };
      const config = labConfig({ ...model, more: { upstreamModel } });
      const service = await TestService.start({ config });
      return {
        service,
        prepare(answer, stream) {
          const recorded = wire[answer];
          if (recorded === undefined) throw new Error(`Nothing is recorded for "${answer}"`);
          const frames = [streamHead(), ...recorded.frames.map(chunk), LAST_CHUNK];
          fake.answer(stream ? frames : json(recorded.json));
        },
        seen: () => wire.read(JSON.parse(fake.last.text)),
        [Symbol.asyncDispose]: () => both(service, fake),
      };
    },
  };
}

/** A server that speaks Chat Completions. */
export const CHAT: RoutePlan = translated("openai-compatible", OPENAI, "gpt-4.1");
/** The Anthropic adapter. */
export const CLAUDE: RoutePlan = translated("anthropic", ANTHROPIC, "claude-sonnet-4-5");
/** The Gemini adapter. */
export const GEMINI: RoutePlan = translated("google", GOOGLE, "gemini-2.5-flash");

/** The embedded simulator. */
export const SIMULATOR: RoutePlan = {
  name: "simulator",
  tool: "calculator",
  without: ["signed", "parallel", "refusal", "length", "file"],
  async start() {
    const service = await TestService.start();
    return {
      service,
      prepare: () => {},
      seen: () => undefined,
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  },
};

async function both(first: AsyncDisposable, second: AsyncDisposable): Promise<void> {
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
}
