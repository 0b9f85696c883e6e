import { assertEquals } from "@std/assert";
import { isReply, taskProgress } from "./tasks.ts";

const about = (more: object = {}) => ({ task_id: "tea", title: "About tea", ...more });
const task = { taskId: "tea", title: "About tea" };

Deno.test("a chat chunk and a Responses event tell a task's start, text and end", () => {
  const choices = [{ index: 0, delta: { content: "Warm" }, finish_reason: null }];
  const ended = { ...about(), status: "done", depends_on: [], charged: "0.028000" } as const;
  assertEquals(taskProgress({ choices: [], orchestration: about({ status: "started" }) }), {
    ...task,
    type: "started",
  });
  const text = { ...task, type: "text", text: "Warm" } as const;
  assertEquals(taskProgress({ choices, orchestration: about() }), text);
  assertEquals(taskProgress({ type: "svc:x", delta: "Warm", orchestration: about() }), text);
  assertEquals(taskProgress({ choices: [], orchestration: ended }), {
    ...task,
    type: "ended",
    task: { ...ended, depends_on: [] },
  });
});

Deno.test("a member of the reply, or one without meaning, reports nothing about a task", () => {
  const choices = [{ index: 0, delta: { content: "Hi" }, finish_reason: null }];
  const others = [
    { choices },
    { choices, orchestration: null },
    { choices, orchestration: { task_id: "final" } },
    { orchestration: { tasks: [], final_task_id: "final" } },
    { choices: 5, orchestration: about() },
    { choices: [null], orchestration: { task_id: 7 } },
    undefined,
    null,
    "text",
  ];
  for (const other of others) assertEquals(taskProgress(other), undefined);
  assertEquals([isReply({}), isReply({ orchestration: about() })], [true, false]);
});
