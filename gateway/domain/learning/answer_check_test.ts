import { assertEquals } from "@std/assert";
import type { ChatRequest } from "@svc/sdk/protocol";
import {
  type Alarm,
  alarmOf,
  CHECKED_CHARS_MAX,
  expectedFormOf,
  type ObservedAnswer,
} from "./answer_check.ts";

const TOOLS = [
  { type: "function", function: { name: "weather" } },
  { type: "custom", custom: { name: "write" } },
];
const SCHEMA = {
  type: "json_schema",
  json_schema: { name: "sum", schema: { type: "object", required: ["sum"] } },
};

function request(more: object = {}): ChatRequest {
  return { model: "auto", messages: [], ...more } as unknown as ChatRequest;
}

function answer(more: Partial<ObservedAnswer> = {}): ObservedAnswer {
  return { text: "Hi", hasContent: true, isRefused: false, isCut: false, calls: [], ...more };
}

const NOTHING = { text: "", hasContent: false };
const tools = request({ tools: TOOLS });
const json = request({ response_format: SCHEMA });
const object = request({ response_format: { type: "json_object" } });
const long = `{"sum":"${"1".repeat(CHECKED_CHARS_MAX)}`;
const call = (name: string, input?: string) => ({ ...NOTHING, calls: [{ name, input }] });

const CASES: readonly [string, ChatRequest, Partial<ObservedAnswer>, Alarm | undefined][] = [
  ["a text", request(), {}, undefined],
  ["no text", request(), NOTHING, "empty"],
  ["no text within the caller's limit", request(), { ...NOTHING, isCut: true }, undefined],
  ["a refusal", request(), { isRefused: true }, "refused"],
  ["a refusal that was cut", request(), { isRefused: true, isCut: true }, "refused"],
  ["a call", tools, call("weather", '{"at":"Oslo"}'), undefined],
  ["a call without input", tools, call("weather", ""), undefined],
  ["a call whose input is no JSON", tools, call("weather", '{"at":'), "tool_call"],
  ["a call whose input is no object", tools, call("weather", '"Oslo"'), "tool_call"],
  ["a call that was cut", tools, { ...call("weather", '{"at":'), isCut: true }, undefined],
  ["a call of free text", tools, call("write"), undefined],
  ["a call of a tool that is not declared", tools, call("search", "{}"), "tool_call"],
  ["a call where no tool is declared", request(), call("weather", "{}"), "tool_call"],
  [
    "a call of a legacy function",
    request({ functions: [{ name: "f" }] }),
    call("f", "{}"),
    undefined,
  ],
  [
    "a call beside tools of an unknown kind",
    request({ tools: [...TOOLS, { type: "mcp" }] }),
    call("remote", "{}"),
    undefined,
  ],
  ["JSON of the schema", json, { text: '{"sum":1}' }, undefined],
  ["JSON of another schema", json, { text: '{"total":1}' }, "schema"],
  ["text in place of JSON", json, { text: "The sum is 1" }, "schema"],
  ["JSON that was cut", json, { text: '{"sum":', isCut: true }, undefined],
  ["JSON that is too long to check", json, { text: long }, undefined],
  ["JSON whose text is not known", json, { text: undefined }, undefined],
  ["a call in place of JSON", request({ response_format: SCHEMA, tools: TOOLS }), {
    ...call("weather", "{}"),
  }, undefined],
  ["an object", object, { text: "{}" }, undefined],
  ["a list in place of an object", object, { text: "[]" }, "schema"],
];

for (const [name, request, changes, alarm] of CASES) {
  Deno.test(`${name} is ${alarm === undefined ? "no alarm" : `the alarm ${alarm}`}`, () => {
    assertEquals(alarmOf(answer(changes), expectedFormOf(request)), alarm);
  });
}
