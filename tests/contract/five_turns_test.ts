/**
 * Five turns of signed tool calls, against providers that look at each signature: a Gemini over its
 * own wire and over its OpenAI-compatible one, and a Claude that thinks. What is dropped or changed
 * on the way is refused.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ToolCall } from "@svc/sdk/protocol";
import type { UpstreamAnswer } from "../../gateway/ports/upstream.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { spokenOf } from "../fixtures/spoken.ts";
import { WEATHER } from "../fixtures/upstreams/received_request.ts";
import { recordAnthropic } from "../fixtures/upstreams/anthropic.ts";
import { frame, Json, type Recorded } from "../fixtures/upstreams/wire.ts";
import { openingOf } from "./staged_case.ts";

const TURNS = 5;
/** The value that Google documents for calls that another model made. */
const FOREIGN = "skip_thought_signature_validator";

/** Returns the signature of a turn, with characters that a careless route would change. */
const signatureOf = (turn: number) => `Eq${turn}+/9kz0"\\u00e9 \u00e9==`;
const cityOf = (turn: number) => `City ${turn}`;

/** A call that came back in the history. */
interface Returned {
  readonly city: unknown;
  readonly signature: unknown;
}

/** A wire that such a provider speaks. */
interface ResponseRoute {
  readonly kind: string;
  readonly path: string;
  readonly model: string;
  /** The calls of a request's history. */
  returned(request: Json): readonly Returned[];
  /** Calls once more, or says that it is done; whole or in frames. */
  answer(turn: number): Recorded;
}

const NATIVE: ResponseRoute = {
  kind: "google",
  path: "/v1beta",
  model: "gemini-3-pro-preview",
  returned: (request) =>
    request.at("contents").items.flatMap((content) => content.at("parts").items)
      .filter((part) => part.at("functionCall").value !== undefined)
      .map((part) => ({
        city: part.at("functionCall", "args", "city").value,
        signature: part.at("thoughtSignature").value,
      })),
  answer: (turn) => {
    const functionCall = { name: "get_weather", args: { city: cityOf(turn) } };
    const part = turn > TURNS
      ? { text: "Done" }
      : { functionCall, thoughtSignature: signatureOf(turn) };
    const json = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
    };
    return { json, frames: [frame(json)] };
  },
};

const COMPATIBLE: ResponseRoute = {
  kind: "openai-compatible",
  path: "/v1beta/openai",
  model: "gemini-3-pro-preview",
  returned: (request) =>
    request.at("messages").items.flatMap((message) => message.at("tool_calls").items)
      .map((call) => ({
        city: JSON.parse(String(call.at("function", "arguments").value)).city,
        signature: call.at("extra_content", "google", "thought_signature").value,
      })),
  answer: (turn) => {
    const call = {
      id: `call-${turn}`,
      type: "function",
      function: { name: "get_weather", arguments: JSON.stringify({ city: cityOf(turn) }) },
    };
    const extra_content = { google: { thought_signature: signatureOf(turn) } };
    const isDone = turn > TURNS;
    const message = isDone ? { content: "Done" } : { tool_calls: [{ ...call, extra_content }] };
    const head = { id: "c", created: 1, model: "m" };
    const chunk = (delta: unknown, finish_reason: string | null = null) =>
      frame({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    return {
      json: {
        ...head,
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      },
      frames: [
        chunk({ role: "assistant" }),
        // No index, and the signature in a separate last delta.
        ...(isDone
          ? [chunk(message)]
          : [chunk({ tool_calls: [call] }), chunk({ tool_calls: [{ extra_content }] })]),
        chunk({}, "stop"),
        frame("[DONE]"),
      ],
    };
  },
};

const CLAUDE: ResponseRoute = {
  kind: "anthropic",
  path: "/v1",
  model: "claude-sonnet-4-5",
  returned: (request) =>
    request.at("messages").items.filter((message) => message.at("role").value === "assistant")
      .map((message) => message.at("content").items)
      .map((blocks) => ({
        city: blocks.at(-1)?.at("input", "city").value,
        signature: blocks.at(-2)?.at("signature").value,
      })),
  answer: (turn) => {
    const isDone = turn > TURNS;
    const thinking = {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: "Hm" },
        { type: "signature_delta", signature: signatureOf(turn) },
      ],
      whole: { type: "thinking", thinking: "Hm", signature: signatureOf(turn) },
    };
    const input = { city: cityOf(turn) };
    const use = { type: "tool_use", id: `toolu_${turn}`, name: "get_weather" };
    const call = {
      start: { ...use, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
      whole: { ...use, input },
    };
    const done = {
      start: { type: "text", text: "" },
      deltas: [{ type: "text_delta", text: "Done" }],
      whole: { type: "text", text: "Done" },
    };
    return recordAnthropic(isDone ? [done] : [thinking, call], {
      stop: isDone ? "end_turn" : "tool_use",
    });
  },
};

/** Answers by its history, and refuses one whose signatures are not those that it gave. */
function serve(route: ResponseRoute): { readonly baseUrl: string; stop(): Promise<void> } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.json();
      const returned = route.returned(new Json(body));
      const wrong = returned.findIndex(({ city, signature }, at) =>
        city !== cityOf(at + 1) || (signature !== signatureOf(at + 1) && signature !== FOREIGN)
      );
      if (wrong >= 0) {
        const message = `Function call ${wrong + 1} is missing a thought_signature`;
        const error = { code: 400, message, status: "INVALID_ARGUMENT" };
        return Response.json({ error }, { status: 400 });
      }
      const { frames, json } = route.answer(returned.length + 1);
      if (body.stream !== true && !request.url.includes("streamGenerateContent")) {
        return Response.json(json);
      }
      const headers = { "content-type": "text/event-stream" };
      return new Response(frames.join(""), { headers });
    },
  );
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}${route.path}`,
    stop: () => server.shutdown(),
  };
}

/** Goes on until the model is done; `echo` is how a client gives the calls back. */
async function converse(
  route: ResponseRoute,
  stream: boolean,
  echo: (call: ToolCall, turn: number) => unknown,
): Promise<{ answer: UpstreamAnswer; cities: unknown[] }> {
  const server = serve(route);
  const upstream = openingOf(route.kind, { provider: "google" })(server.baseUrl, {});
  const messages: unknown[] = [{ role: "user", content: "The weather everywhere" }];
  const cities: unknown[] = [];
  try {
    for (let turn = 1;; turn++) {
      const call = callOf({ messages, tools: [WEATHER] }, { model: route.model, stream });
      const answer = await upstream.call(call);
      if (answer.kind === "failure" || turn > TURNS) return { answer, cities };
      const { calls } = await spokenOf(answer);
      assertEquals(calls.length, 1);
      cities.push(...calls.map((one) => JSON.parse(one.function.arguments).city));
      const tool_calls = calls.map((one) => echo(one, turn));
      messages.push({ role: "assistant", content: null, tool_calls });
      for (const { id } of calls) {
        messages.push({ role: "tool", tool_call_id: id, content: "Rain" });
      }
    }
  } finally {
    upstream.close();
    await server.stop();
  }
}

const CITIES = Array.from({ length: TURNS }, (_, at) => cityOf(at + 1));
const dropped = ({ id, type, function: called }: ToolCall) => ({ id, type, function: called });
const changed = (call: ToolCall) =>
  JSON.parse(JSON.stringify(call), (name, value) => /signature$/.test(name) ? "another" : value);

for (const route of [NATIVE, COMPATIBLE, CLAUDE]) {
  for (const stream of [false, true]) {
    const how = `${route.kind}${stream ? ", streamed" : ""}`;

    Deno.test(`five signed turns come through byte for byte: ${how}`, async () => {
      const { answer, cities } = await converse(route, stream, (call) => call);
      assertEquals(cities, CITIES);
      assertEquals((await spokenOf(answer)).content, "Done");
    });

    Deno.test(`a changed signature is the caller's 400: ${how}`, async () => {
      const change = (call: ToolCall, turn: number) => turn === 3 ? changed(call) : call;
      const { answer, cities } = await converse(route, stream, change);
      assertEquals(cities, CITIES.slice(0, 3));
      assert(answer.kind === "failure");
      assertEquals([answer.outcome, answer.status], ["refused_input", 400]);
      assertMatch(answer.message, /Function call 3 is missing/);
    });

    Deno.test(`dropped signatures: ${how}`, async () => {
      const { answer, cities } = await converse(route, stream, dropped);
      if (route.model.startsWith("gemini")) {
        // Google is given its own word for history that it did not sign.
        assertEquals(cities, CITIES);
        assertEquals((await spokenOf(answer)).content, "Done");
      } else {
        // Only what came is passed on: it is the flow's memory that puts signatures back.
        assertEquals(answer.kind === "failure" && answer.outcome, "refused_input");
        assertEquals(cities, CITIES.slice(0, 1));
      }
    });
  }
}
