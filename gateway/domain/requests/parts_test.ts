import { assertEquals } from "@std/assert";
import { answerOf, partsOf } from "./parts.ts";
import type { RequestRecord, TaskRecord } from "./record.ts";

const ROUTING = {
  ...{ model: "large", provider: "lab", tier: "standard", reason: "Best", considered: 2 },
  attempts: [],
};
const RECORD: RequestRecord = {
  ...{ id: "log_1", requestId: "req_1", atMs: 0, keyId: "key_a", walletId: "team" },
  ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 900 },
  ...{ holdIds: [], charged: "1.000000", inputTokens: 100, cachedInputTokens: 10 },
  ...{ outputTokens: 50, estimated: false, routing: ROUTING },
};

function task(taskId: string, rest: Partial<TaskRecord> = {}): TaskRecord {
  return {
    ...{ taskId, dependsOn: [], status: "done", model: "small", provider: "mill", startMs: 0 },
    ...{ ms: 300, inputTokens: 20, cachedInputTokens: 5, outputTokens: 10, charged: "0.200000" },
    attempts: [],
    ...rest,
  };
}

Deno.test("a request that was not split is one part, with or without a routing snapshot", () => {
  const part = { inputTokens: 100, cachedInputTokens: 10, outputTokens: 50, durationMs: 900 };
  assertEquals(partsOf(RECORD), [
    { model: "large", provider: "lab", charged: 1_000_000n, ...part },
  ]);
  const [none] = partsOf({ ...RECORD, routing: undefined });
  assertEquals([none?.model, none?.charged], ["", 1_000_000n]);
});

Deno.test("the parts of a split request are its tasks and what they leave for the answer", () => {
  const tasks = [task("plan"), task("a", { model: "large", provider: "lab" })];
  const parts = partsOf({ ...RECORD, tasks, attemptStarts: [400] });
  assertEquals(
    parts.map(({ model, charged, inputTokens, cachedInputTokens, outputTokens }) => [
      ...[model, charged, inputTokens, cachedInputTokens, outputTokens],
    ]),
    [
      ["small", 200_000n, 20, 5, 10],
      ["large", 200_000n, 20, 5, 10],
      ["large", 600_000n, 60, 0, 30],
    ],
  );
  assertEquals(parts.map(({ durationMs }) => durationMs), [300, 300, 500]);
});

Deno.test("parts that reached nothing are left out, and a charge never is", () => {
  const skipped = { model: undefined, provider: undefined, charged: "0.000000" };
  const nothing = { ...skipped, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  const all = { charged: "1.000000", inputTokens: 100, cachedInputTokens: 10, outputTokens: 50 };
  const tasks = [task("a", all), task("b", { ...nothing, status: "skipped" })];
  const failed = { ...RECORD, routing: undefined, outcome: "error", status: 502 } as const;
  assertEquals(partsOf({ ...failed, tasks }).map(({ model }) => model), ["small"]);
  // A process that died in the middle of a task: its charge is known, its task is not.
  const killed = partsOf({ ...failed, tasks: [task("a")] });
  assertEquals(killed.map(({ model, charged }) => [model, charged]), [
    ["small", 200_000n],
    ["", 800_000n],
  ]);
});

Deno.test("an answer begins with its first call, else when the last task has ended", () => {
  const tasks = [task("a", { startMs: 100, ms: 250 })];
  assertEquals(answerOf({ ...RECORD, tasks }).startMs, 350);
  assertEquals(answerOf({ ...RECORD, tasks, attemptStarts: [380, 500] }).startMs, 380);
});

Deno.test("attempts on other models and searches have parts of their own, which add up to the whole", () => {
  const first = {
    ...{ model: "tried", provider: "mill", ms: 40, charged: "0.050000" },
    ...{ inputTokens: 8, cachedInputTokens: 1, outputTokens: 4 },
  };
  const search = {
    ...{ model: "web_search_preview", provider: "", ms: 20, charged: "0.100000" },
    ...{ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  };
  const tasks = [task("a", { others: [first] })];
  const parts = partsOf({ ...RECORD, tasks, others: [search], attemptStarts: [400] });
  assertEquals(
    parts.map((part) => [part.model, part.charged, part.inputTokens, part.outputTokens]),
    [
      ["tried", 50_000n, 8, 4],
      ["small", 150_000n, 12, 6],
      ["web_search_preview", 100_000n, 0, 0],
      ["large", 700_000n, 80, 40],
    ],
  );
  const { charged } = answerOf({ ...RECORD, tasks, others: [search] });
  assertEquals(charged, 800_000n);
  const whole = partsOf({ ...RECORD, others: [search] });
  assertEquals(whole.map((part) => [part.model, part.charged]), [
    ["web_search_preview", 100_000n],
    ["large", 900_000n],
  ]);
});
