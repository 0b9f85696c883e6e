import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ServiceMetadata } from "@svc/sdk/protocol";
import { UpstreamCut } from "../../ports/upstream.ts";
import { ChatChunkRelay } from "./chunk_relay.ts";
import type { ChatClosing } from "./closing.ts";
import { SERVICE_FORM } from "./form.ts";
import { chatUsageOf } from "./usage.ts";

const COUNTED = { inputTokens: 5, cachedInputTokens: 0, outputTokens: 7 };
const METADATA: ServiceMetadata = JSON.parse('{"request_id":"r","routing":{"model":"m"}}');

/** The chunks of a clean end. */
function closing(relay: ChatChunkRelay, more: Partial<ChatClosing> = {}) {
  const end = { metadata: METADATA, usage: COUNTED, createdSeconds: 1, ...more };
  return relay.closing(end).map((text) => JSON.parse(text));
}

function chunk(choices: unknown, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 7,
    model: "up-1",
    choices,
    ...more,
  });
}

function delta(fields: unknown, more: Record<string, unknown> = {}): string {
  return chunk([{ index: 0, delta: fields, finish_reason: null, ...more }]);
}

function toolDeltas(relay: ChatChunkRelay, texts: readonly string[]): unknown[] {
  return texts.map((text) => {
    const forwarded = relay.accept(text);
    assert(forwarded !== undefined);
    return JSON.parse(forwarded).choices[0].delta.tool_calls;
  });
}

Deno.test("a well-formed chunk keeps every byte but the model's name", () => {
  const relay = new ChatChunkRelay("fast-mini");
  const text = '{ "id":"c", "model" : "up-1","big":12345678901234567890,"f":1.0,' +
    '"choices":[{"index":0,"delta":{"role":"assistant","content":"hi\\u00e9"},"x":1e2}],"created":1}';
  assertEquals(relay.accept(text), text.replace('"up-1"', '"fast-mini"'));
  const next = text.replace("hi\\u00e9", "there");
  assertEquals(relay.accept(next), next.replace('"up-1"', '"fast-mini"'));
  assertEquals(relay.delivered, ["hié", "there"]);
});

Deno.test("a model name that changes in mid-stream is replaced", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant" }));
  const other = delta({ content: "x" }).replace("up-1", "up-2");
  assertEquals(JSON.parse(relay.accept(other) ?? "").model, "m");
  const twice = '{"model":"a","choices":[],"model":"b"}';
  assertEquals(relay.accept(twice), '{"model":"m","choices":[],"model":"m"}');
});

Deno.test("chunks that begin in turn in two ways keep their own beginning", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant" }));
  for (let turn = 0; turn < 20; turn++) {
    for (const id of ["c1", "c2"]) {
      const text = delta({ content: `${id} "${turn}"` }).replace("c1", id);
      assertEquals(relay.accept(text), text.replace("up-1", "m"));
    }
  }
  assertEquals(relay.delivered.length, 40);
});

Deno.test("a first delta without a role gets one, once a choice", () => {
  const relay = new ChatChunkRelay("m");
  const first = JSON.parse(relay.accept(delta({ content: "a" })) ?? "");
  assertEquals(first.choices[0].delta, { content: "a", role: "assistant" });
  const second = JSON.parse(relay.accept(delta({ content: "b" })) ?? "");
  assertEquals(second.choices[0].delta, { content: "b" });
  const other = JSON.parse(
    relay.accept(chunk([{ index: 1, delta: null, finish_reason: null }])) ?? "",
  );
  assertEquals(other.choices[0].delta, { role: "assistant" });
});

Deno.test("tool calls without an index are distinguished by id, else they continue the last one", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant" }));
  const call = (id: string, text: string) => ({
    id,
    type: "function",
    function: { name: "f", arguments: text },
  });
  assertEquals(
    toolDeltas(relay, [
      delta({ tool_calls: [call("a", "{"), call("b", "{}")] }),
      delta({ tool_calls: [{ id: "a", function: { arguments: "}" } }] }),
      delta({ tool_calls: [{ function: { arguments: " " } }] }),
    ]),
    [
      [{ ...call("a", "{"), index: 0 }, { ...call("b", "{}"), index: 1 }],
      [{ id: "a", function: { arguments: "}" }, index: 0 }],
      [{ function: { arguments: " " }, index: 0 }],
    ],
  );
  assertEquals(relay.toolCalls.map(({ id, arguments: text }) => [id, text]), [
    ["a", "{} "],
    ["b", "{}"],
  ]);
});

Deno.test("tool calls that all claim index 0 get indexes of their own", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant" }));
  const texts = [
    delta({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" } }] }),
    delta({ tool_calls: [{ index: 0, id: "b", function: { name: "g", arguments: "" } }] }),
  ];
  const indexes = toolDeltas(relay, texts).map((calls) => (calls as { index: number }[])[0]?.index);
  assertEquals(indexes, [0, 1]);
});

Deno.test("an id and a name that repeat with every piece are sent once", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant" }));
  for (const piece of ["{", "}"]) {
    const call = { index: 0, id: "a", function: { name: "f", arguments: piece } };
    relay.accept(delta({ tool_calls: [call] }));
  }
  assertEquals(relay.toolCalls.map((call) => [call.name, call.arguments]), [["f", "{}"]]);
});

Deno.test("opaque members keep their bytes, also where an index is put in beside them", () => {
  const relay = new ChatChunkRelay("m");
  const opaque = '{"google":{"thought_signature":"a+/=","n":1.0,"big":12345678901234567890}}';
  const text = delta({ role: "assistant", tool_calls: ["@"] }).replace(
    '"@"',
    `{"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":${opaque},"thought_signature":"s\\u0041"}`,
  );
  const forwarded = relay.accept(text) ?? "";
  assert(forwarded.includes(`"extra_content":${opaque}`));
  assert(forwarded.includes('"thought_signature":"s\\u0041"'));
  assertEquals([...relay.toolCalls[0]?.opaque ?? []], [
    ["extra_content", opaque],
    ["thought_signature", '"s\\u0041"'],
  ]);
});

Deno.test("a last delta with only a signature belongs to the last call", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(
    delta({ role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: "" } }] }),
  );
  relay.accept(delta({ tool_calls: [{ thought_signature: "late" }] }));
  assertEquals(relay.toolCalls[0]?.opaque.get("thought_signature"), '"late"');
});

Deno.test("a second finish of a choice is dropped", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant", content: "x" }));
  assert(!relay.finished);
  relay.accept(delta({}, { finish_reason: "stop" }));
  assert(relay.finished);
  const again = JSON.parse(relay.accept(delta({}, { finish_reason: "stop" })) ?? "");
  assertEquals(again.choices[0].finish_reason, null);
  assertEquals(closing(relay).map(({ choices }) => choices), [[]]);
});

Deno.test("an empty finish reason is ignored, and the true one is passed on", () => {
  for (const form of [SERVICE_FORM, { ...SERVICE_FORM, dialect: "openai" as const }]) {
    const relay = new ChatChunkRelay("m", { form });
    const empty = { finish_reason: "" };
    const chunks = [
      relay.accept(delta({ role: "assistant", content: "x" }, empty)),
      relay.accept(delta({ content: "y" }, empty)),
    ];
    assert(!relay.finished);
    chunks.push(relay.accept(delta({}, { finish_reason: "tool_calls" })));
    assert(relay.finished);
    const all = [...chunks.filter((text) => text !== undefined).map((text) => JSON.parse(text))];
    const finishes = [...all, ...closing(relay)].flatMap(({ choices }) =>
      (choices as { finish_reason: unknown }[]).map(({ finish_reason }) => finish_reason)
    );
    assertEquals(finishes, [null, null, "tool_calls"]);
  }
});

Deno.test("a clean end adds a finish reason to every choice without one", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant", content: "x" }));
  relay.accept(chunk([{
    index: 1,
    delta: { role: "assistant", tool_calls: [{ index: 0, id: "a", function: { name: "f" } }] },
  }]));
  const owed = closing(relay).slice(0, -1);
  assertEquals(owed.map(({ choices: [choice] }) => [choice.index, choice.finish_reason]), [
    [0, "stop"],
    [1, "tool_calls"],
  ]);
  assertEquals(owed[0].id, "c1");
  assertEquals(owed[0].model, "m");
});

Deno.test("an answer with nothing in it still begins and finishes", () => {
  const owed = closing(new ChatChunkRelay("m"), { createdSeconds: 9 });
  assertEquals(owed[0].choices, [
    { index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" },
  ]);
  assertEquals(owed[0].created, 9);
});

Deno.test("the usage chunk is held back, and carries the metadata in its own bytes", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant", content: "x" }));
  const usage = '{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,"odd":1.50}';
  assertEquals(
    relay.accept(chunk([], { usage: 0 }).replace('"usage":0', `"usage":${usage}`)),
    undefined,
  );
  assertEquals(relay.usage, { inputTokens: 3, cachedInputTokens: 0, outputTokens: 1 });
  const billed = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 1 };
  const [, last = ""] = relay.closing({ metadata: METADATA, usage: billed, createdSeconds: 1 });
  assert(last.includes(`"usage":${usage}`));
  assertEquals(JSON.parse(last).metadata, METADATA);
  assertEquals(JSON.parse(last).model, "m");
});

Deno.test("usage beside content is forwarded and repeated at the end; the last one counts", () => {
  const relay = new ChatChunkRelay("m");
  const usage = (n: number) => ({ prompt_tokens: 3, completion_tokens: n, total_tokens: 3 + n });
  const forwarded = relay.accept(
    chunk([{ index: 0, delta: { role: "assistant", content: "x" } }], { usage: usage(1) }),
  );
  assert(forwarded?.includes('"completion_tokens":1'));
  relay.accept(chunk([{ index: 0, delta: { content: "y" } }], { usage: usage(2) }));
  assertEquals(relay.usage?.outputTokens, 2);
  const billed = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 };
  assertEquals(closing(relay, { usage: billed }).at(-1)?.usage, usage(2));
});

Deno.test("without reported usage the last chunk carries what was counted", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant", content: "x" }));
  relay.accept(
    chunk([], { usage: { prompt_tokens: -1, completion_tokens: 2 } }).replace("usage", "u"),
  );
  const last = closing(relay).at(-1);
  assertEquals(last.usage, chatUsageOf(COUNTED));
  assertEquals(last.choices, []);
});

Deno.test("a report that was not taken is not passed on in the last chunk", () => {
  for (const output of ["1e400", "-1", "0.5", "1e30"]) {
    const relay = new ChatChunkRelay("m");
    relay.accept(delta({ role: "assistant", content: "x" }));
    const usage = `{"prompt_tokens":3,"completion_tokens":${output}}`;
    relay.accept(chunk([], { usage: 0 }).replace('"usage":0', `"usage":${usage}`));
    const last = closing(relay).at(-1);
    assertEquals(last.usage, chatUsageOf(COUNTED), output);
  }
});

Deno.test("a report without counts does not replace one that has them", () => {
  const relay = new ChatChunkRelay("m");
  relay.accept(delta({ role: "assistant", content: "x" }));
  const good = '{"prompt_tokens":3,"completion_tokens":1,"odd":1.50}';
  const bad = '{"prompt_tokens":3,"completion_tokens":-1}';
  for (const usage of [good, bad]) {
    relay.accept(chunk([], { usage: 0 }).replace('"usage":0', `"usage":${usage}`));
  }
  const billed = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 1 };
  assertEquals(relay.usage, billed);
  const end = { metadata: METADATA, usage: billed, createdSeconds: 1 };
  const last = relay.closing(end).at(-1) ?? "";
  assert(last.includes(`"usage":${good}`));
});

Deno.test("every string of a delta is delivered, under any member name", () => {
  const deltas = [
    { function_call: { name: "add", arguments: '{"a":1}' } },
    { tool_calls: [{ index: 0, id: "c", type: "custom", custom: { name: "sh", input: "ls" } }] },
    { reasoning_details: [{ type: "reasoning.text", text: "Hmm", format: "x", index: 0 }] },
    { thinking: "So" },
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "Well" }] }] },
    { audio: { id: "audio_1", transcript: "Hello", expires_at: 1 } },
    { novelty: { deep: ["new"] } },
  ];
  const chunks = deltas.map((each) => {
    const relay = new ChatChunkRelay("m");
    relay.accept(delta({ role: "assistant", ...each }));
    return relay.delivered.join("|");
  });
  assertEquals(chunks, ['add|{"a":1}', "sh|ls", "Hmm", "So", "Well", "Hello", "new"]);
});

Deno.test("an event that is not a chunk breaks the stream with its reason", () => {
  const cases: [string, string][] = [
    ["{not json", "malformed"],
    ["7", "malformed"],
    ['{"choices":{}}', "malformed"],
    ['{"choices":[7]}', "malformed"],
    ['{"choices":[{"index":0,"delta":{"tool_calls":[null]}}]}', "malformed"],
    ['{"choices":[{"index":0,"delta":3}]}', "malformed"],
    ['{"error":{"message":"boom"}}', "server_error"],
  ];
  for (const [text, outcome] of cases) {
    const error = assertThrows(() => new ChatChunkRelay("m").accept(text), UpstreamCut);
    assertEquals(error.outcome, outcome, text);
  }
});

Deno.test("a chunk without choices is forwarded; null choices count as missing", () => {
  const relay = new ChatChunkRelay("m");
  assertEquals(JSON.parse(relay.accept('{"model":"u","choices":null}') ?? "").model, "m");
  assertEquals(JSON.parse(relay.accept('{"prompt_filter_results":[]}') ?? "").model, "m");
});
