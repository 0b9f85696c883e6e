/**
 * The HTTP cases of the Open Responses standard, and the ends that an answer may have, as data.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { ResponseInputItem, ResponseResource, ResponsesRequest } from "@svc/sdk/protocol";
import { PDF, PERSON, PIXEL } from "../../fixtures/upstreams/received_request.ts";
import { type Seen, SIGNATURE } from "../../fixtures/upstreams/wire.ts";
import type { AnswerKind, RoutePlan } from "./routes.ts";

/** The fields of a request beside `model`. */
export type Asked = Omit<ResponsesRequest, "model">;

/** One case. */
export interface Case {
  readonly name: string;
  /** Answers of the upstream; the last belongs to the request itself. */
  readonly answers: readonly AnswerKind[];
  readonly needs?: "image" | "file";
  readonly request: Asked;
  /** The turn after it, of the answer to `request`; the case is about its answer then. */
  readonly then?: (first: ResponseResource) => Asked;
  readonly status?: "incomplete";
  check(resource: ResponseResource, plan: RoutePlan): void;
  /** Checks the content that the upstream received. */
  checkSeen?(seen: Seen): void;
}

const user = (content: string) => ({ type: "message", role: "user", content } as const);

/** The functions that a caller runs: of these, upstreams that are scripted call the first. */
const TOOLS = [
  {
    type: "function",
    name: "get_weather",
    description: "Weather of a city",
    strict: false,
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
  {
    type: "function",
    name: "calculator",
    description: "Reckons",
    strict: false,
    parameters: {
      type: "object",
      properties: { expression: { type: "string" } },
      required: ["expression"],
    },
  },
];

const SUM: Asked = { input: "What is 2 + 3?", tools: TOOLS };

/** All text of an answer. */
export function outputText({ output }: ResponseResource): string {
  return output.flatMap((item) => item.type === "message" ? item.content : [])
    .map((part) => part.type === "output_text" ? part.text : "").join("");
}

function checkText(resource: ResponseResource, plan: RoutePlan): void {
  const text = outputText(resource);
  if (plan.text === undefined) assert(text.length > 0);
  else assertEquals(text, plan.text);
  assertEquals(resource.output.map(({ type }) => type), ["message"]);
}

function callsOf({ output }: ResponseResource) {
  return output.filter((item) => item.type === "function_call");
}

/** The input of a first turn and what came of it, as a caller repeats it. */
function afterwards(first: ResponseResource, result: string): ResponseInputItem[] {
  const results = callsOf(first).map(({ call_id }): ResponseInputItem => (
    { type: "function_call_output", call_id, output: result }
  ));
  return [...first.output, ...results];
}

/** The cases. */
export const CASES: readonly Case[] = [
  { name: "basic", answers: ["text"], request: { input: "Say hello" }, check: checkText },
  {
    name: "system prompt",
    answers: ["text"],
    request: {
      instructions: "Answer briefly",
      input: [{ type: "message", role: "system", content: "Be kind" }, user("Say hello")],
    },
    check(resource, plan) {
      checkText(resource, plan);
      assertEquals(resource.instructions, "Answer briefly");
    },
    checkSeen: ({ texts }) =>
      assertEquals(texts.join("\n").split(/\n+/), ["Answer briefly", "Be kind", "Say hello"]),
  },
  {
    name: "tool calling",
    answers: ["tool"],
    request: SUM,
    check(resource, { tool }) {
      const [call, ...others] = callsOf(resource);
      assertEquals([call?.name, others.length], [tool, 0]);
      const input = JSON.parse(call?.arguments ?? "");
      if (tool === "get_weather") assertEquals(input, { city: "Oslo" });
      assertEquals(resource.tools.map(({ name }) => name), ["get_weather", "calculator"]);
    },
    checkSeen: ({ tools }) => assertEquals(tools, ["get_weather", "calculator"]),
  },
  {
    name: "parallel tool calls",
    answers: ["parallel"],
    request: SUM,
    check(resource) {
      const cities = callsOf(resource).map((call) => JSON.parse(call.arguments).city);
      assertEquals(cities, ["Oslo", "Rome"]);
      assertEquals(new Set(callsOf(resource).map((call) => call.call_id)).size, 2);
    },
  },
  {
    name: "function-call round trip",
    answers: ["tool", "text"],
    request: SUM,
    then: (first) => ({
      input: [user("What is 2 + 3?"), ...afterwards(first, "5")],
      tools: TOOLS,
    }),
    check: (resource, plan) =>
      plan.text === undefined
        ? assert(outputText(resource).includes("5"))
        : checkText(resource, plan),
    checkSeen: ({ results }) => assertEquals(results, ["5"]),
  },
  {
    name: "function-call round trip by previous-response-id",
    answers: ["tool", "text"],
    request: SUM,
    then: (first) => ({
      previous_response_id: first.id,
      input: afterwards(first, "5").slice(first.output.length),
      tools: TOOLS,
    }),
    check: (resource, plan) =>
      plan.text === undefined
        ? assert(outputText(resource).includes("5"))
        : checkText(resource, plan),
    checkSeen: ({ results }) => assertEquals(results, ["5"]),
  },
  ...([
    ["that the caller repeats", (first) => ({ input: [user("Go"), ...afterwards(first, "5")] })],
    [
      "that the caller's library has dropped",
      (first) => ({
        input: [
          user("Go"),
          ...afterwards(first, "5").map(({ extra_content: _signed, ...item }) => item),
        ],
      }),
    ],
    [
      "of a response that is continued",
      (first) => ({
        previous_response_id: first.id,
        input: afterwards(first, "5").slice(first.output.length),
      }),
    ],
  ] satisfies [string, Case["then"]][]).map(([name, then]): Case => ({
    name: `signatures ${name}`,
    answers: ["signed", "text"],
    request: { input: "Go", tools: TOOLS },
    then: (first) => ({ ...then(first), tools: TOOLS }),
    check: checkText,
    checkSeen: ({ signatures, results }) => {
      assertEquals(signatures, [SIGNATURE]);
      assertEquals(results, ["5", "5"]);
    },
  })),
  {
    name: "image input",
    answers: ["text"],
    needs: "image",
    request: {
      input: [{
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
        ],
      }],
    },
    check: checkText,
    checkSeen: ({ images }) => assertEquals(images, [PIXEL]),
  },
  {
    name: "file input",
    answers: ["text"],
    needs: "file",
    request: {
      input: [{
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "What does it say?" },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: `data:application/pdf;base64,${PDF}`,
          },
        ],
      }],
    },
    check: checkText,
    checkSeen: ({ documents }) => assertEquals(documents, [PDF]),
  },
  {
    name: "multi-turn",
    answers: ["text"],
    request: {
      input: [
        user("My name is Ada"),
        { role: "assistant", content: "Hello Ada" },
        user("Who am I?"),
      ],
    },
    check: checkText,
    // Some wires do not tell who said what here.
    checkSeen: ({ texts }) =>
      assertEquals([texts[0], texts.at(-1)], ["My name is Ada", "Who am I?"]),
  },
  {
    name: "previous-response-id",
    answers: ["text", "text"],
    request: { input: "My name is Ada" },
    then: ({ id }) => ({ previous_response_id: id, input: "Who am I?" }),
    check: checkText,
    checkSeen: ({ texts }) => assertEquals(texts.at(-1), "Who am I?"),
  },
  {
    name: "an answer held to a schema",
    answers: ["schema"],
    request: {
      input: "A person",
      text: { format: { type: "json_schema", name: "person", schema: PERSON, strict: true } },
    },
    check: (resource) => assertEquals(Object.keys(JSON.parse(outputText(resource))), ["name"]),
    checkSeen: ({ schema }) => assertEquals(schema, PERSON),
  },
  {
    name: "the output limit",
    answers: ["length"],
    request: { input: "Say hello", max_output_tokens: 100 },
    status: "incomplete",
    check(resource) {
      assertEquals(resource.incomplete_details, { reason: "max_output_tokens" });
      assertEquals(resource.completed_at, null);
      assertEquals(resource.max_output_tokens, 100);
      assertEquals(outputText(resource), "Hello");
      assertEquals(resource.output.map((item) => Reflect.get(item, "status")), ["incomplete"]);
    },
    checkSeen: ({ maxTokens }) => assertEquals(maxTokens, 100),
  },
];
