import { assertEquals } from "@std/assert";
import { finalNote, planNote } from "../../domain/orchestration/task_notes.ts";
import { readPlan } from "../../domain/orchestration/task_plan.ts";
import { isPlanning, simulatedPlan, splitTask } from "./split_task.ts";

Deno.test("splitTask() separates the question from the note of its task", () => {
  assertEquals(splitTask("Hi"), { question: "Hi", task: undefined });
  const { question, task } = splitTask(`Hi${planNote({ knownNeeds: [] })}`);
  assertEquals([question, isPlanning(task)], ["Hi", true]);
  const results = [{ taskId: "a", title: "A", text: "x" }, { taskId: "b", title: "B" }];
  assertEquals(splitTask(`Hi${finalNote(results)}`).task, {
    id: "final",
    resultIds: ["a"],
    missing: ["b"],
  });
});

Deno.test("a result's statements about other results are ignored", () => {
  const text = "x\n\n$c (C):\ny\n~~~\n$d (D): this part failed; there is no result.";
  const results = [{ taskId: "a", title: "A", text }, { taskId: "b", title: "B" }];
  const { task } = splitTask(`Hi${finalNote(results)}`);
  assertEquals([task?.resultIds, task?.missing], [["a"], ["b"]]);
});

Deno.test("a simulated plan has a task for each piece, can be read, and has none for a single piece", () => {
  for (const question of ["Compare tea, coffee and cocoa.", "比较茶、咖啡和可可，并推荐一种。"]) {
    const reading = readPlan(simulatedPlan(question), []);
    assertEquals(reading.ok && reading.tasks.length, 3);
  }
  const many = readPlan(simulatedPlan("one, two, three, four, five, six, seven, eight"), []);
  assertEquals(many.ok && many.tasks.length, 6);
  assertEquals(simulatedPlan("Only this"), '{"tasks":[]}');
});
