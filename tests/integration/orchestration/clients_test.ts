/**
 * A split request as clients read it: the client library, OpenAI's own client, and the bare stream.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { isReply, ServiceAPIError, ServiceClient, type TaskProgress } from "@svc/sdk";
import { KEEP_ALIVE_MS } from "../../../gateway/flows/stream/answer_stream.ts";
import { readUntil } from "../../fixtures/event_stream.ts";
import {
  askSplit,
  COMPARISON,
  orchestrationLab,
  readStreamedAnswer,
} from "../../fixtures/orchestrated.ts";
import { BOOTSTRAP_KEY, ManualClock, TestService, until } from "../../fixtures/service.ts";

const MESSAGES = [{ role: "user" as const, content: COMPARISON }];

function clientOf(service: TestService): ServiceClient {
  return new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl: service.running.publicUrl });
}

/** Texts of tasks by their ids, in which they began and ended. */
function recorder() {
  const texts = new Map<string, string>();
  const ended: string[] = [];
  const onTask = (progress: TaskProgress): void => {
    if (progress.type === "started") texts.set(progress.taskId, "");
    if (progress.type === "text") {
      texts.set(progress.taskId, (texts.get(progress.taskId) ?? "") + progress.text);
    }
    if (progress.type === "ended") ended.push(`${progress.taskId} ${progress.task.status}`);
  };
  return { texts, ended, onTask };
}

for (const surface of ["chat", "responses", "messages"] as const) {
  Deno.test(`SDK, ${surface}: onTextDelta has the answer alone, onTask the tasks`, async () => {
    await using lab = await orchestrationLab();
    const client = clientOf(lab.service);
    const { texts, ended, onTask } = recorder();
    let text = "";
    const options = { onTask, onTextDelta: (delta: string) => void (text += delta) };
    const result = surface === "chat"
      ? await client.chat.completions.runStream({ messages: MESSAGES }, options)
      : surface === "responses"
      ? await client.responses.runStream({ input: COMPARISON }, options)
      : await client.messages.runStream({ max_tokens: 1_000, messages: MESSAGES }, options);
    assertEquals([text, result.finalText], ["The answer.", "The answer."]);
    assertEquals(Object.fromEntries(texts), {
      tea: "Result of tea.",
      coffee: "Result of coffee.",
      cocoa: "Result of cocoa.",
    });
    assertEquals(ended.sort(), ["cocoa done", "coffee done", "plan done", "tea done"]);
    assertEquals(result.billing?.charged, "0.140000");
    const { orchestration } = Object(result.response);
    // Messages have no field for it: the progress of tasks is lost there.
    if (surface === "messages") return await lab.service.assertBooks();
    assertEquals(Object.keys(orchestration ?? {}), ["tasks", "final_task_id"]);
    assertEquals(orchestration?.tasks.length, 5);
    await lab.service.assertBooks();
  });
}

Deno.test("SDK: a raw stream is filtered by one predicate, and collected with its breakdown", async () => {
  await using lab = await orchestrationLab();
  const stream = clientOf(lab.service).chat.completions.stream({ messages: MESSAGES });
  let text = "";
  let others = 0;
  for await (const chunk of stream) {
    if (isReply(chunk)) text += chunk.choices[0]?.delta.content ?? "";
    else others += 1;
  }
  assertEquals(text, "The answer.");
  assert(others > 6, `${others}`);
  const completion = await stream;
  assertEquals(completion.choices[0]?.message.content, "The answer.");
  assertEquals(completion.orchestration?.final_task_id, "final");
  const whole = await clientOf(lab.service).chat.completions.create({ messages: MESSAGES });
  assertEquals(whole.orchestration?.tasks.length, 5);
});

for (const stream of [true, false]) {
  Deno.test(`SDK: a failed orchestration is raised, ${stream ? "streamed" : "JSON"}`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("final", { status: 500 }, { status: 500 });
    const { completions } = clientOf(service).chat;
    const error = await assertRejects(
      async () =>
        stream
          ? await completions.stream({ messages: MESSAGES })
          : await completions.create({ messages: MESSAGES }),
      ServiceAPIError,
    );
    assertEquals([error.status, error.code], [200, "orchestration_failed"]);
    await service.assertBooks();
  });
}

Deno.test("OpenAI's client reads the answer of a stream that is narrowed to it", async () => {
  await using lab = await orchestrationLab();
  const client = lab.service.client({ defaultHeaders: { "X-Orchestration": "final" } });
  const stream = client.chat.completions.stream({ model: "auto", messages: MESSAGES });
  let text = "";
  stream.on("content", (delta) => text += delta);
  const final = await stream.finalChatCompletion();
  assertEquals([text, final.choices[0]?.message.content], ["The answer.", "The answer."]);
  const whole = await client.chat.completions.create({ model: "auto", messages: MESSAGES });
  assertEquals(whole.choices[0]?.message.content, "The answer.");
  await lab.service.assertBooks();
});

Deno.test("the embedded simulator plans, works and combines, and identifies itself", async () => {
  // No time passes: models are chosen by how fast they were, too.
  await using service = await TestService.start({ clock: new ManualClock() });
  const answer = await readStreamedAnswer(
    await service.chat({ messages: MESSAGES, stream: true }),
  );
  assert(answer.text.startsWith("[simulated] I was given the results of part_1,"), answer.text);
  assert(answer.texts.size >= 3);
  for (const [id, text] of answer.texts) assert(text.includes(`My part is ${id}.`), text);
  const again = await readStreamedAnswer(await service.chat({ messages: MESSAGES, stream: true }));
  assertEquals(again.text, answer.text);
  await service.assertBooks();
});

Deno.test("the simulator misbehaves only in the configured task", async () => {
  await using service = await TestService.start();
  const wish = '[[sim {"task": "part_2", "cutAfter": 4}]]';
  const messages = [{ role: "user", content: `${COMPARISON} ${wish}` }];
  const answer = await readStreamedAnswer(await service.chat({ messages, stream: true }));
  const failed = answer.orchestration?.tasks.filter(({ status }) => status === "failed");
  assertEquals(failed?.map(({ task_id }) => task_id), ["part_2"]);
  assert(answer.text.includes("Missing are those of part_2."), answer.text);
  await service.assertBooks();
});

Deno.test("while tasks run in silence, comments keep the stream alive", async () => {
  const clock = new ManualClock();
  await using lab = await orchestrationLab({ clock });
  const { service, upstream } = lab;
  const gate = Promise.withResolvers<void>();
  upstream.on("tea", { until: gate.promise });
  // The head of the answer comes with its first bytes.
  const call = askSplit(service, { stream: true, choice: "final" });
  await until(() => upstream.calls.length === 4, "the tasks to begin");
  clock.advance(KEEP_ALIVE_MS);
  const { body } = await call;
  assert(body !== null);
  const reader = body.getReader();
  assertEquals(await readUntil(reader, "keep-alive"), ": keep-alive\n\n");
  gate.resolve();
  assert((await readUntil(reader, "[DONE]")).includes("answer."));
  await reader.cancel();
  await service.assertBooks();
});
