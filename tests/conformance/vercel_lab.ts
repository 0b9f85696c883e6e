/**
 * The Vercel AI SDK, unmodified, in front of every kind of upstream.
 *
 * @module
 */

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import {
  chunk,
  FakeUpstream,
  json,
  LAST_CHUNK,
  type Script,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";
import { OPENAI } from "../fixtures/upstreams/openai.ts";
import { RESPONSES } from "../fixtures/upstreams/responses.ts";
import type { Recorded, Wire } from "../fixtures/upstreams/wire.ts";

/** Address of the service, and the way to reach it. */
export interface Access {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch?: typeof fetch;
}

/** A provider package on one of its response routes. */
export interface Client {
  readonly name: string;
  readonly route: "chat" | "responses";
  /** Options of single calls. */
  readonly options?: { readonly openai: { readonly store: boolean } };
  /** The model `auto` as the package knows it. */
  model(access: Access): LanguageModel;
}

const responses = (access: Access) => createOpenAI(access)("auto");

/** Packages that applications use. */
export const CLIENTS: readonly Client[] = [
  { name: "@ai-sdk/openai", route: "responses", model: responses },
  {
    name: "@ai-sdk/openai that stores nothing",
    route: "responses",
    options: { openai: { store: false } },
    model: responses,
  },
  {
    name: "@ai-sdk/openai by chat",
    route: "chat",
    model: (access) => createOpenAI(access).chat("auto"),
  },
  {
    name: "@ai-sdk/openai-compatible",
    route: "chat",
    model: (access) =>
      createOpenAICompatible({
        ...access,
        name: "svc",
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel("auto"),
  },
];

/** A kind of upstream, with its wire formats. */
export interface UpstreamWires {
  readonly kind: string;
  readonly upstreamModel: string;
  readonly wires: Readonly<Record<Client["route"], Wire>>;
}

/** One of every family of wires. */
export const UPSTREAMS: readonly UpstreamWires[] = [
  {
    kind: "openai-compatible",
    upstreamModel: "real-model",
    wires: { chat: OPENAI, responses: OPENAI },
  },
  { kind: "openai", upstreamModel: "real-model", wires: { chat: OPENAI, responses: RESPONSES } },
  {
    kind: "anthropic",
    upstreamModel: "claude-sonnet-4-5",
    wires: { chat: ANTHROPIC, responses: ANTHROPIC },
  },
  {
    kind: "google",
    upstreamModel: "gemini-3-pro-preview",
    wires: { chat: GOOGLE, responses: GOOGLE },
  },
];

/** Parts of one test. */
export interface Lab {
  readonly service: TestService;
  readonly fake: FakeUpstream;
  readonly wire: Wire;
  /** For `model` and `providerOptions` of a call; it is not repeated. */
  readonly call: {
    readonly model: LanguageModel;
    readonly maxRetries: 0;
    readonly providerOptions?: { readonly openai: { readonly store: boolean } };
  };
  /** Answers of the upstream, in order. */
  answer(stream: boolean, ...answers: readonly Recorded[]): void;
}

/** Runs a proof against a fresh service, and checks the books after it. */
export async function inLab(
  { client, upstreamWires }: { readonly client: Client; readonly upstreamWires: UpstreamWires },
  prove: (lab: Lab) => Promise<void>,
): Promise<void> {
  await using fake = new FakeUpstream();
  const { kind, upstreamModel } = upstreamWires;
  const more = { upstreamModel, endpoints: ["chat", "responses"] };
  const model = { id: "native", baseUrl: fake.baseUrl, upstream: { kind }, more };
  await using service = await TestService.start({ config: labConfig(model) });
  const wire = upstreamWires.wires[client.route];
  await prove({
    service,
    fake,
    wire,
    call: callOf(client, service),
    answer: (stream, ...answers) =>
      fake.answer(...answers.map((recorded) => scriptOf(wire, recorded, stream))),
  });
  await service.assertBooks();
}

/** Fields of every call of a client. */
export function callOf(
  client: Client,
  service: TestService,
  apiKey = BOOTSTRAP_KEY,
  more: Pick<Access, "fetch"> = {},
): Lab["call"] {
  const model = client.model({ baseURL: service.openaiUrl, apiKey, ...more });
  const { options } = client;
  return { model, maxRetries: 0, ...(options === undefined ? {} : { providerOptions: options }) };
}

/** A recorded answer as an upstream gives it. */
export function scriptOf(wire: Wire, recorded: Recorded, stream: boolean): Script {
  if (!stream) return json(recorded.json);
  const head = streamHead({ "content-type": wire.streamType ?? "text/event-stream" });
  return [head, ...recorded.frames.map(chunk), LAST_CHUNK];
}
