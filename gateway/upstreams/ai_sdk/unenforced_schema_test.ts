import { assert, assertEquals } from "@std/assert";
import { described } from "./unenforced_schema.ts";
import { callOf, recordedUpstream } from "./upstream_fixture.ts";

const PERSON = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};
const LONG_NAMES = { ...PERSON, properties: { name: { type: "string", minLength: 9 } } };

const CLAUDE_SAID = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "{}" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const BEDROCK_SAID = {
  output: { message: { role: "assistant", content: [{ text: "{}" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

/** Returns the warnings of an answer to a request for a person. */
async function leftOut(
  kind: string,
  model: string,
  json_schema: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const answer = () => Response.json(kind === "anthropic" ? CLAUDE_SAID : BEDROCK_SAID);
  using made = recordedUpstream({ kind, region: "eu-central-1" }, { answer });
  const response_format = { type: "json_schema", json_schema: { name: "person", ...json_schema } };
  const reply = await made.upstream.call(callOf({ response_format }, { model }));
  assert(reply.kind === "json", JSON.stringify(reply));
  return reply.body.value["upstream_warnings"];
}

const LINE = '"response_format.json_schema.strict" is not supported and was left out';

for (
  const [kind, held, free] of [
    ["anthropic", "claude-sonnet-4-5", "claude-sonnet-4-20250514"],
    [
      "amazon-bedrock",
      "anthropic.claude-sonnet-4-5-v1:0",
      "anthropic.claude-sonnet-4-20250514-v1:0",
    ],
    ["amazon-bedrock", "anthropic.claude-sonnet-4-5-v1:0", "amazon.nova-pro-v1:0"],
  ] as const
) {
  Deno.test(`strict JSON of ${free} is reported: it is held to nothing, as ${held} is`, async () => {
    assertEquals(await leftOut(kind, held, { schema: PERSON, strict: true }), undefined);
    assertEquals(
      await leftOut(kind, held, { schema: PERSON, strict: true, description: "Somebody" }),
      undefined,
    );
    assertEquals(await leftOut(kind, free, { schema: PERSON, strict: true }), [LINE]);
    for (const strict of [false, null]) {
      assertEquals(await leftOut(kind, free, { schema: PERSON, strict }), undefined);
    }
    // What the decoder does not know becomes words.
    assertEquals(await leftOut(kind, held, { schema: LONG_NAMES, strict: true }), [LINE]);
  });
}

Deno.test("described() puts words into a schema, before its own", () => {
  assertEquals(described({}), { type: "object" });
  assertEquals(described({ schema: PERSON, description: "" }), PERSON);
  assertEquals(described({ schema: PERSON, description: "P" }), { ...PERSON, description: "P" });
  const own = { ...PERSON, description: "Own" };
  assertEquals(described({ schema: own, description: "P" })["description"], "P\n\nOwn");
});
