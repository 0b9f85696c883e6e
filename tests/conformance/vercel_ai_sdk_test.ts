/**
 * Every function of the Vercel AI SDK that applications call, through every provider package, over
 * every kind of upstream.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  generateObject,
  generateText,
  isStepCount,
  jsonSchema,
  streamObject,
  streamText,
  tool,
} from "ai";
import { Json } from "../fixtures/upstreams/wire.ts";
import { PERSON } from "../fixtures/upstreams/received_request.ts";
import { CLIENTS, inLab, type Lab, UPSTREAMS } from "./vercel_lab.ts";

const prompt = "The weather?";
const schema = jsonSchema<{ name: string }>({ ...PERSON, type: "object" });

/** Records the arguments of the tool in `cities`. */
function weatherTool(cities: string[]) {
  return tool({
    description: "Weather of a city",
    inputSchema: jsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    }),
    execute: ({ city }) => {
      cities.push(city);
      return `Rain in ${city}`;
    },
  });
}

/** Result of a run of steps, streamed or not. */
async function run(lab: Lab, stream: boolean, cities: string[]) {
  const options = {
    ...lab.call,
    prompt,
    tools: { get_weather: weatherTool(cities) },
    stopWhen: isStepCount(5),
  };
  if (!stream) {
    const { text, steps, totalUsage } = await generateText(options);
    return { text, steps, usage: totalUsage };
  }
  const result = streamText({ ...options, onError: ({ error }) => Promise.reject(error) });
  let text = "";
  for await (const piece of result.textStream) text += piece;
  return { text, steps: await result.steps, usage: await result.totalUsage };
}

for (const client of CLIENTS) {
  for (const upstreamWires of UPSTREAMS) {
    const on = (sentence: string, prove: (lab: Lab) => Promise<void>) =>
      Deno.test(`${client.name}, upstream ${upstreamWires.kind}: ${sentence}`, () =>
        inLab({ client, upstreamWires }, prove));

    on("generateText()", async (lab) => {
      lab.answer(false, lab.wire.text);
      const { text, finishReason, usage, response, warnings } = await generateText({
        ...lab.call,
        system: "Be brief",
        prompt,
        maxOutputTokens: 50,
      });
      assertEquals([text, finishReason, response.modelId], ["Hello there", "stop", "native"]);
      assertEquals([usage.inputTokens, usage.outputTokens, usage.totalTokens], [12, 5, 17]);
      assertEquals(warnings ?? [], []);
      const seen = lab.wire.read(JSON.parse(lab.fake.last.text));
      assertEquals([seen.texts, seen.maxTokens], [["Be brief", prompt], 50]);
      const record = await lab.service.lastRequest();
      assertEquals([record.endpoint, record.inputTokens, record.outputTokens], [
        client.route,
        12,
        5,
      ]);
    });

    on("streamText()", async (lab) => {
      lab.answer(true, lab.wire.text);
      const result = streamText({ ...lab.call, prompt });
      assertEquals(await Array.fromAsync(result.textStream), ["Hello", " there"]);
      assertEquals([await result.finishReason, (await result.response).modelId], [
        "stop",
        "native",
      ]);
      const { inputTokens, outputTokens } = await result.usage;
      assertEquals([inputTokens, outputTokens], [12, 5]);
    });

    for (const stream of [false, true]) {
      const how = stream ? "streamText()" : "generateText()";

      on(`${how} with tools over three steps`, async (lab) => {
        const cities: string[] = [];
        lab.answer(stream, lab.wire.parallel, lab.wire.tool, lab.wire.text);
        const { text, steps, usage } = await run(lab, stream, cities);
        assertEquals(text, "Hello there");
        assertEquals(cities, ["Oslo", "Rome", "Oslo"]);
        assertEquals(steps.map((step) => step.finishReason), ["tool-calls", "tool-calls", "stop"]);
        assertEquals([usage.inputTokens, usage.outputTokens], [36, 15]);
        const seen = lab.wire.read(JSON.parse(lab.fake.last.text));
        assertEquals(seen.results, ["Rain in Oslo", "Rain in Rome", "Rain in Oslo"]);
        assertEquals(seen.tools, ["get_weather"]);
        assertEquals(lab.fake.requests.length, 3);
      });

      on(`${how} says why it ended early`, async (lab) => {
        const { length, refusal } = lab.wire;
        assert(refusal !== undefined);
        // The package accepts no complete response with a refusal beside its text, not even
        // OpenAI's.
        const isBeyondIt = client.route === "responses" && upstreamWires.kind === "anthropic" &&
          !stream;
        for (
          const [recorded, reason] of [[length, "length"], [refusal, "content-filter"]] as const
        ) {
          if (isBeyondIt && reason === "content-filter") continue;
          lab.answer(stream, recorded);
          const result = stream
            ? streamText({ ...lab.call, prompt })
            : await generateText({ ...lab.call, prompt });
          assertEquals(await result.finishReason, reason);
        }
      });

      on(`a conversation that goes on after ${how}`, async (lab) => {
        lab.answer(stream, lab.wire.text, lab.wire.parallel, lab.wire.text);
        const first = stream
          ? streamText({ ...lab.call, prompt: "Hi" })
          : await generateText({ ...lab.call, prompt: "Hi" });
        const messages = [
          { role: "user" as const, content: "Hi" },
          ...await first.responseMessages,
          { role: "user" as const, content: "The weather?" },
        ];
        const tools = { get_weather: weatherTool([]) };
        const options = { ...lab.call, messages, tools, stopWhen: isStepCount(3) };
        const second = stream ? streamText(options) : await generateText(options);
        assertEquals(await second.text, "Hello there");
        const text = lab.fake.last.text;
        // On OpenAI's own wire what was said before may be named instead of repeated.
        if (!text.includes("item_reference")) {
          const seen = JSON.stringify(new Json(JSON.parse(text)).value);
          assert(seen.includes("Hello there"), seen);
        }
      });
    }

    on("generateObject()", async (lab) => {
      lab.answer(false, lab.wire.schema);
      const { object, finishReason } = await generateObject({ ...lab.call, prompt, schema });
      assertEquals([object, finishReason], [{ name: "Ada" }, "stop"]);
      const seen = lab.wire.read(JSON.parse(lab.fake.last.text));
      assertEquals(Object.keys(new Json(seen.schema).at("properties").value ?? {}), ["name"]);
    });

    on("streamObject()", async (lab) => {
      lab.answer(true, lab.wire.schema);
      const result = streamObject({ ...lab.call, prompt, schema });
      const partial = await Array.fromAsync(result.partialObjectStream);
      assertEquals(partial.at(-1), { name: "Ada" });
      assertEquals(await result.object, { name: "Ada" });
    });
  }
}
