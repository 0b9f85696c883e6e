/**
 * Options that a provider does not support and that the documentation lists as ignored: every
 * answer reports them, on either endpoint, whole, streamed, and with hosted tools.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type Feature, FEATURES } from "../../gateway/upstreams/ai_sdk/features.ts";
import { ASKED_FEATURES } from "../fixtures/requested_features.ts";
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
import { TRANSLATED } from "../fixtures/upstreams/recordings.ts";
import type { Wire } from "../fixtures/upstreams/wire.ts";

/** A form of request. */
interface Way {
  readonly endpoint: "chat" | "responses";
  readonly stream: boolean;
  readonly hosted: boolean;
}

const WAYS: readonly Way[] = (["chat", "responses"] as const).flatMap((endpoint) =>
  [false, true].flatMap((stream) => [false, true].map((hosted) => ({ endpoint, stream, hosted })))
);

function script({ text, streamType }: Wire, isStream: boolean): Script {
  if (!isStream) return json(text.json);
  const head = streamHead({ "content-type": streamType ?? "text/event-stream" });
  return [head, ...text.frames.map(chunk), LAST_CHUNK];
}

/** The lines in which an answer says what was left out. */
async function leftOut(
  service: TestService,
  { endpoint, stream, hosted }: Way,
  requestFields: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const tools = Array.isArray(requestFields["tools"]) ? requestFields["tools"] : [];
  const searching = hosted ? { tools: [...tools, { type: "web_search_preview" }] } : {};
  const path = endpoint === "chat" ? "chat/completions" : "responses";
  const response = await fetch(`${service.openaiUrl}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${BOOTSTRAP_KEY}` },
    body: JSON.stringify({ model: "auto", stream, ...requestFields, ...searching }),
  });
  const text = await response.text();
  assertEquals(response.status, 200, text);
  const data = stream
    ? text.split("\n").filter((line) => line.startsWith("data: {")).map((line) => line.slice(6))
    : [text];
  const answers = data.map((one) => JSON.parse(one));
  const last = answers.at(-1);
  const { routing } = (stream && endpoint === "responses" ? last.response : last).metadata;
  if (endpoint === "responses") return routing.not_carried ?? [];
  // A provider's own word stays where it was put; nothing is said twice in another place.
  assertEquals(routing.not_carried, undefined);
  return answers.flatMap((answer) => answer.upstream_warnings ?? []);
}

function isFeature(name: string): name is Feature {
  return name in FEATURES;
}

for (const [{ kind, protocol: { chat: { lacks } } }, { model: known, ...recorded }] of TRANSLATED) {
  // Claude's models with structured outputs are held to schemas, so that less is left out.
  const { plainModel: upstreamModel = known, wire } = recorded;
  Deno.test(`${kind}: every kind of answer reports the members that were left out`, async () => {
    await using fake = new FakeUpstream();
    const model = {
      id: "native",
      baseUrl: fake.baseUrl,
      upstream: { kind, region: "eu" },
      featureTags: ["tools", "json", "vision", "files", "reasoning"],
    };
    const search = {
      kind: "searxng",
      baseUrl: `http://127.0.0.1:${fake.port}`,
      pricePerSearch: "0.001",
    };
    const config = { ...labConfig({ ...model, more: { upstreamModel } }), search };
    await using service = await TestService.start({ config });
    const silent: string[] = [];
    for (const feature of Object.keys(FEATURES).filter(isFeature)) {
      if (lacks[feature] !== "reported" && lacks[feature] !== "changed") continue;
      const requestFields = ASKED_FEATURES[feature];
      assert(requestFields !== undefined, `Nothing here asks for "${feature}"`);
      for (const way of WAYS) {
        const request = requestFields[way.endpoint];
        if (request === undefined) continue;
        fake.answer(script(wire, way.stream || way.hosted));
        const lines = await leftOut(service, way, request);
        const { word, responsesWord = word } = requestFields;
        const named = way.endpoint === "chat" ? word : responsesWord;
        const isSaid = lines.some((line) => line.includes(named));
        if (!isSaid) silent.push(`${feature}: ${JSON.stringify(way)}: ${JSON.stringify(lines)}`);
      }
    }
    assertEquals(silent, []);
  });
}
