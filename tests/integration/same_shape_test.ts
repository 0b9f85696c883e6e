/**
 * One request through four kinds of upstream, as an application sees the answers: the same members,
 * of the same types, whole and streamed.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";
import { shapeOf } from "../fixtures/shape_of.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";
import { OPENAI } from "../fixtures/upstreams/openai.ts";
import type { Wire } from "../fixtures/upstreams/wire.ts";

const KINDS: readonly (readonly [string, string, Wire | undefined])[] = [
  ["openai-compatible", "gpt-4.1", OPENAI],
  ["anthropic", "claude-sonnet-4-5", ANTHROPIC],
  ["google", "gemini-2.5-flash", GOOGLE],
  ["simulator", "sim-large", undefined],
];

const CALCULATOR = {
  type: "function" as const,
  function: {
    name: "calculator",
    parameters: { type: "object", properties: { expression: { type: "string" } } },
  },
};
const TEXT = { messages: [{ role: "user" as const, content: "Say hello" }] };
const TOOL = {
  messages: [{ role: "user" as const, content: "What is 2 + 3?" }],
  tools: [CALCULATOR],
};
// What not every provider has or counts: signatures, thoughts, and caches written at a price.
const OWN = ["extra_content", "reasoning_content", "reasoning_tokens", "cache_write_tokens"];

/** Returns the answers of a kind: the events of a stream, or the one answer. */
async function answersOf(
  [kind, upstreamModel, wire]: (typeof KINDS)[number],
  { asks, stream }: { asks: "text" | "tool"; stream: boolean },
): Promise<unknown[]> {
  await using fake = new FakeUpstream();
  const { baseUrl } = fake;
  const model = { id: "m", baseUrl, upstream: { kind }, more: { upstreamModel } };
  await using service = await TestService.start({ config: labConfig(model) });
  const recorded = wire?.[asks];
  if (recorded !== undefined) {
    const frames = [streamHead(), ...recorded.frames.map(chunk), LAST_CHUNK];
    fake.answer(stream ? frames : json(recorded.json));
  }
  // The dialect whose metadata has a shape.
  const { completions } = service.client({ defaultHeaders: { "X-Dialect": "service" } }).chat;
  const params = { model: "auto", ...(asks === "text" ? TEXT : TOOL) };
  if (!stream) return [await completions.create(params)];
  return await Array.fromAsync(await completions.create({ ...params, stream: true }));
}

for (const asks of ["text", "tool"] as const) {
  for (const stream of [false, true]) {
    const how = stream ? ", streamed" : "";
    Deno.test(`one request, four kinds of upstream, one shape: ${asks}${how}`, async () => {
      const shapes: string[][] = [];
      for (const row of KINDS) {
        const answers = await answersOf(row, { asks, stream });
        shapes.push(
          [...new Set(answers.flatMap((answer) => shapeOf(answer, { except: OWN })))].sort(),
        );
      }
      const [first, ...others] = shapes;
      assert(first !== undefined && first.length > 20);
      for (const other of others) assertEquals(other, first);
    });
  }
}
