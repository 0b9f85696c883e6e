/**
 * Signed tool calls over five turns, through clients that drop what they do not know: the openai
 * client's own loop and the Vercel AI SDK, two tenants at once.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool } from "ai";
import { labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { PLACES, placesOf, SigningGemini, TURNS } from "../fixtures/upstreams/signing_gemini.ts";
import { callOf, type Client, CLIENTS } from "./vercel_lab.ts";

const KINDS = ["openai-compatible", "google"] as const;

/** Result of a conversation. */
interface Outcome {
  readonly text: string;
  readonly places: readonly string[];
}

/** A client's loop: asks, calls tools, and goes on until the model is done. */
interface Loop {
  readonly name: string;
  run(service: TestService, key: string, question: string): Promise<Outcome>;
}

const PARAMETERS = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false as const,
};

function weatherTool(places: string[]) {
  return tool({
    description: "Weather of a city",
    inputSchema: jsonSchema<{ city: string }>(PARAMETERS),
    execute: ({ city }) => {
      places.push(city);
      return `Rain in ${city}`;
    },
  });
}

/** Goes on from messages, for some steps at most. */
async function vercelSteps(
  client: Client,
  { service, key, stream }: { service: TestService; key: string; stream: boolean },
  { messages, steps }: { messages: ModelMessage[]; steps: number },
): Promise<Outcome & { messages: ModelMessage[] }> {
  const places: string[] = [];
  const request = {
    ...callOf(client, service, key),
    messages,
    tools: { get_weather: weatherTool(places) },
    stopWhen: isStepCount(steps),
  };
  const result = stream
    ? streamText({ ...request, onError: () => {} })
    : await generateText(request);
  const text = await result.text;
  return { text, places, messages: [...messages, ...await result.responseMessages] };
}

const LOOPS: readonly Loop[] = [false, true].flatMap((stream) => [
  {
    name: `runTools() of openai${stream ? ", streamed" : ""}`,
    run: async (service, key, question) => {
      const places: string[] = [];
      const getWeather = (written: string) => {
        const { city } = JSON.parse(written);
        places.push(city);
        return `Rain in ${city}`;
      };
      const described = { name: "get_weather", description: "Weather", parameters: PARAMETERS };
      const params = {
        model: "auto",
        messages: [{ role: "user" as const, content: question }],
        tools: [{ type: "function" as const, function: { ...described, function: getWeather } }],
      };
      const { completions } = service.client({ apiKey: key }).chat;
      const runner = stream
        ? completions.runTools({ ...params, stream: true })
        : completions.runTools(params);
      return { text: await runner.finalContent() ?? "", places };
    },
  },
  ...CLIENTS.map((client): Loop => ({
    name: `${stream ? "streamText" : "generateText"}() through ${client.name}`,
    run: (service, key, question) =>
      vercelSteps(client, { service, key, stream }, {
        messages: [{ role: "user", content: question }],
        steps: TURNS + 1,
      }),
  })),
]);

function configOf(gemini: SigningGemini, kind: typeof KINDS[number]) {
  const more = { upstreamModel: "gemini-3-pro-preview", endpoints: ["chat", "responses"] };
  return labConfig({ id: "gemini", baseUrl: gemini.baseUrl(kind), upstream: { kind }, more });
}

for (const kind of KINDS) {
  for (const loop of LOOPS) {
    Deno.test(`${loop.name}: two tenants call five times each at a signing ${kind}`, async () => {
      await using gemini = new SigningGemini();
      await using service = await TestService.start({ config: configOf(gemini, kind) });
      const { key } = await service.newKey();
      const outcomes = await Promise.all([
        loop.run(service, BOOTSTRAP_KEY, "The weather of ours?"),
        loop.run(service, key, "The weather of theirs?"),
      ]);
      for (const { text, places } of outcomes) {
        assertEquals(places, PLACES);
        assertEquals(text, "Done");
      }
      // Every signature came back as it was given, and to the tenant whose it was.
      assertEquals([gemini.refused, gemini.foreign], [0, 0]);
      await service.assertBooks();
    });
  }

  for (const client of CLIENTS) {
    for (const stream of [false, true]) {
      const how = `${client.name}${stream ? ", streamed" : ""}`;
      Deno.test(`${how}: a restart in the middle is survived at a signing ${kind}`, async () => {
        const folder = await Deno.makeTempDir();
        try {
          const kvPath = `${folder}/svc.kv`;
          await using gemini = new SigningGemini();
          const config = configOf(gemini, kind);
          let messages: ModelMessage[] = [{ role: "user", content: "The weather?" }];
          {
            await using service = await TestService.start({ config, kvPath });
            const from = { service, key: BOOTSTRAP_KEY, stream };
            const half = await vercelSteps(client, from, { messages, steps: 2 });
            assertEquals(half.places, [...placesOf(1), ...placesOf(2)]);
            messages = half.messages;
          }
          await using service = await TestService.start({ config, kvPath });
          const from = { service, key: BOOTSTRAP_KEY, stream };
          const rest = await vercelSteps(client, from, { messages, steps: TURNS });
          assertEquals([rest.text, rest.places], ["Done", PLACES.slice(4)]);
          assertEquals(gemini.refused, 0);
          // One client keeps signatures itself; what the others dropped is forgotten with the memory.
          assertEquals(gemini.foreign > 0, client.name !== "@ai-sdk/openai-compatible");
          await service.assertBooks();
        } finally {
          await Deno.remove(folder, { recursive: true });
        }
      });
    }
  }
}

Deno.test("another tenant's equal call ids are not signed with what is not theirs", async () => {
  await using gemini = new SigningGemini();
  await using service = await TestService.start({ config: configOf(gemini, "openai-compatible") });
  const [client] = CLIENTS;
  assert(client !== undefined);
  const { key } = await service.newKey();
  const request = { messages: [{ role: "user" as const, content: "Ours" }], steps: 2 };
  const ours = await vercelSteps(client, { service, key: BOOTSTRAP_KEY, stream: false }, request);
  const theirs = await vercelSteps(CLIENTS[2] ?? client, { service, key, stream: false }, {
    messages: ours.messages,
    steps: 1,
  });
  assertEquals(theirs.places, placesOf(3));
  // Both turns came as another model's calls: the memory of the first tenant was not asked.
  assertEquals([gemini.refused, gemini.foreign], [0, 2]);
});
