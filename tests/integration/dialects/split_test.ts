/**
 * Split requests in both dialects: the stream that each gets by itself, what the header asks for, and
 * the ceiling of the key.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { DIALECTS } from "@svc/sdk/protocol";
import { assertPairs, readChatStream } from "../../fixtures/chat_stream.ts";
import { askSplit, COMPARISON, orchestrationLab } from "../../fixtures/orchestrated.ts";
import { BOOTSTRAP_KEY, type TestService } from "../../fixtures/service.ts";

const TASKS = ["cocoa", "coffee", "tea"];

/** Dialect, key's ceiling, X-Orchestration: the stream that comes of them. */
const ROWS = [
  ["service", "all", undefined, "all"],
  ["service", "all", "final", "final"],
  ["service", "final", undefined, "final"],
  ["service", "final", "all", "final"],
  ["service", "all", "off", "off"],
  ["openai", "all", undefined, "final"],
  ["openai", "all", "all", "all"],
  ["openai", "final", "all", "final"],
  ["openai", "all", "off", "off"],
] as const;

for (const [dialect, ceiling, choice, expected] of ROWS) {
  const choiceText = choice === undefined ? "asked for nothing" : `asked for ${choice}`;
  Deno.test(`a split chat stream in ${dialect}, at most ${ceiling}, ${choiceText}: ${expected}`, async () => {
    await using lab = await orchestrationLab();
    const { service } = lab;
    const policy = { orchestration: { mode: "auto", stream: ceiling } } as const;
    const { key } = await service.newKey({ policy });
    for (const include_usage of [false, true]) {
      const response = await askWith(service, {
        key,
        dialect,
        choice,
        body: { stream_options: { include_usage } },
      });
      const hasUsage = dialect === "service" || include_usage;
      const chunks = await readSplit(response, { dialect, hasUsage, isAll: expected === "all" });
      const taskIds = new Set(chunks.map(({ orchestration }) => orchestration?.task_id));
      const parts = expected === "off"
        ? [undefined]
        : expected === "final"
        ? ["final"]
        : [...TASKS, "final", "plan"].sort();
      assertEquals([...taskIds].sort(), parts);
      if (expected === "off") continue;
      const { tasks } = Object(chunks.at(-1)?.orchestration);
      assertEquals(tasks.length, 5);
    }
    await service.assertBooks();
  });
}

function askWith(
  service: TestService,
  { key, dialect, choice, body }: {
    readonly key: string;
    readonly dialect: string;
    readonly choice: string | undefined;
    readonly body: Readonly<Record<string, unknown>>;
  },
): Promise<Response> {
  const messages = [{ role: "user", content: COMPARISON }];
  const headers = {
    "x-dialect": dialect,
    ...(choice === undefined ? {} : { "x-orchestration": choice }),
  };
  return service.chat({ messages, stream: true, ...body }, { key, headers });
}

async function readSplit(
  response: Response,
  options: Parameters<typeof readChatStream>[1] & { readonly isAll: boolean },
) {
  const { chunks, text, finishes } = await readChatStream(response, options);
  assertEquals(finishes.length, 1);
  // A client that cannot tell tasks apart reads the answer, unless it asked for them.
  if (!options.isAll) assert(!text.includes("Result of"), text);
  else assert(text.includes("Result of tea."), text);
  assert(text.endsWith("The answer.") || text.includes("Hello"), text);
  return chunks;
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "JSON";
  Deno.test(`a failed split in openai says why in its own metadata, ${how}`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("final", { status: 500 }, { status: 500 });
    const { key } = await service.newKey({ policy: { dialect: "openai" } });
    const text = await (await askSplit(service, { key, stream })).text();
    const last = text.trimEnd().split("data: ").at(-1) ?? "";
    const { error, choices, metadata } = JSON.parse(last);
    assertEquals([error.code, choices], ["orchestration_failed", []]);
    assertPairs(metadata);
  });
}

for (const dialect of DIALECTS) {
  Deno.test(`a split response in ${dialect}: tasks are reported to clients that know them`, async () => {
    await using lab = await orchestrationLab();
    const ask = async (more: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${lab.service.openaiUrl}/responses`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${BOOTSTRAP_KEY}`,
          "x-dialect": dialect,
          ...more,
        },
        body: JSON.stringify({ model: "auto", input: COMPARISON, stream: true }),
      });
      return await response.text();
    };
    const text = await ask();
    assertEquals(text.includes("event: svc:"), dialect === "service");
    assertEquals(text.endsWith("data: [DONE]\n\n"), dialect === "service");
    assert((await ask({ "x-orchestration": "all" })).includes("event: svc:"));
    assert(!(await ask({ "x-orchestration": "final" })).includes("event: svc:"));
    await lab.service.assertBooks();
  });
}
