import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { nextTasks, PLAN_MAX_CHARS, PLAN_TASKS_MAX, readPlan, TASKS_AT_ONCE } from "./task_plan.ts";

function task(id: string, dependsOn: readonly string[] = [], instruction = "Do it") {
  return { task_id: id, title: `Title ${id}`, instruction, depends_on: dependsOn, needs: [] };
}

function plan(...tasks: readonly unknown[]): string {
  return JSON.stringify({ tasks });
}

function read(text: string) {
  const reading = readPlan(text, ["vision", "long"]);
  assert(reading.ok, reading.ok ? "" : reading.problem);
  return reading.tasks;
}

Deno.test("a plan is read, bare or in a code block", () => {
  const text = plan(task("a"), { ...task("b", ["a"]), needs: ["vision", "magic", "vision"] });
  const tasks = read(text);
  assertEquals(read(`Here is the plan:\n\`\`\`json\n${text}\n\`\`\`\n`), tasks);
  assertEquals(tasks.map(({ taskId, dependsOn, needs }) => [taskId, dependsOn, needs]), [
    ["a", [], []],
    ["b", ["a"], ["vision"]],
  ]);
  assertEquals(read(plan()), []);
});

Deno.test("a result that an instruction names is depended on", () => {
  const tasks = read(plan(task("a"), task("b", ["$a"], "Judge $a, at $5 and $HOME; keep $a")));
  assertEquals(tasks[1]?.dependsOn, ["a"]);
});

Deno.test("a $ before anything but another task's id is plain text", () => {
  const plain = [
    "Stay below $5, or $5k, of a $100 budget; US$a is no price",
    "Print $path, ${a} and $HOME in bash: export path=$path:$a_dir",
    "Let $x$ be prime and $$a a process id; $t itself is this task",
    "预算不超过$5，变量$price与$HOME原样保留；$$a不是引用",
    "See $nothing, and what is said of $as or $a1",
  ];
  for (const instruction of plain) {
    assertEquals(read(plan(task("a"), task("t", [], instruction)))[1]?.dependsOn, [], instruction);
  }
  const references = [
    "Sum up $a",
    "Judge ($a), at $5",
    "根据$a写总结，预算$5",
    "总结$a。",
    "“$a”与$b",
  ];
  for (const instruction of references) {
    assertEquals(
      read(plan(task("a"), task("t", [], instruction)))[1]?.dependsOn,
      ["a"],
      instruction,
    );
  }
  // Also of a task that is declared later.
  assertEquals(read(plan(task("t", [], "Judge $a"), task("a")))[0]?.dependsOn, ["a"]);
});

Deno.test("the mistakes of a plan are reported", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["I cannot plan this", "not a JSON object"],
    ["{]}", "not a JSON object"],
    ["{}", '"tasks"'],
    [plan(...Array.from({ length: PLAN_TASKS_MAX + 1 }, (_, at) => task(`t${at}`))), "7 tasks"],
    [plan("a"), "tasks.0"],
    [plan({ ...task("a"), task_id: "A b" }), "tasks.0.task_id"],
    [plan(task("final")), "reserved"],
    [plan(task("plan")), "reserved"],
    [plan(task("a"), task("a")), "Two tasks"],
    [plan({ ...task("a"), title: " " }), "no title"],
    [plan({ ...task("a"), instruction: 5 }), "no instruction"],
    [plan(task("a", [], "x".repeat(4_001))), "longer"],
    [plan({ ...task("a"), depends_on: "b" }), "depends_on"],
    [plan({ ...task("a"), needs: [1] }), "needs"],
    [plan(task("a", ["b"])), 'depends on "b"'],
    [plan(task("a", [], "See $b"), task("b", [], "See $a")), '"a", "b"'],
    [plan(task("a", ["a"])), "wait for each other"],
    [plan(task("a", ["c"]), task("b", ["a"]), task("c", ["b"])), '"a", "b", "c"'],
  ];
  for (const [text, part] of cases) {
    const reading = readPlan(text, []);
    assert(!reading.ok, text);
    assertStringIncludes(reading.problem, part);
  }
});

Deno.test("a task begins as soon as what it depends on is done, and never more than three run", () => {
  const tasks = read(plan(task("a"), task("b"), task("c"), task("d"), task("e", ["b"])));
  const next = (done: string[], running: string[], lost: string[] = []) => {
    const states = { done: new Set(done), running: new Set(running), lost: new Set(lost) };
    const { begin, skip } = nextTasks(tasks, states);
    return [begin.map(({ taskId }) => taskId), skip.map(({ taskId }) => taskId)];
  };
  assertEquals(next([], []), [["a", "b", "c"], []]);
  assertEquals(next(["b"], ["a", "c"]), [["d"], []]);
  assertEquals(next(["a", "b", "c"], ["d"]), [["e"], []]);
  assertEquals(next([], ["a", "b", "c"]), [[], []]);
  assertEquals(next(["a"], ["c", "d"], ["b"]), [[], ["e"]]);
});

Deno.test("a task that depends on a lost task is skipped, through any number of steps", () => {
  const tasks = read(plan(task("d", ["c"]), task("c", ["b"]), task("b", ["a"]), task("a")));
  const states = { done: new Set<string>(), running: new Set<string>(), lost: new Set(["a"]) };
  const { begin, skip } = nextTasks(tasks, states);
  assertEquals([begin.length, skip.map(({ taskId }) => taskId).sort()], [0, ["b", "c", "d"]]);
});

Deno.test("any readable plan ends, with each task run once, for any failures", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const anyTask = (id: string) => fc.subarray(ids).map((dependsOn) => task(id, dependsOn));
  const anyPlan = fc.tuple(...ids.map(anyTask));
  fc.assert(
    fc.property(anyPlan, fc.subarray(ids), (raw, failing) => {
      const reading = readPlan(plan(...raw), []);
      if (!reading.ok) return;
      const [done, lost, running] = [new Set<string>(), new Set<string>(), new Set<string>()];
      for (let turn = 0; done.size + lost.size < ids.length; turn++) {
        assert(turn <= 2 * ids.length, "the plan does not end");
        const { begin, skip } = nextTasks(reading.tasks, { done, lost, running });
        for (const { taskId } of skip) lost.add(taskId);
        for (const { taskId, dependsOn } of begin) {
          assert(dependsOn.every((id) => done.has(id)));
          assert(!running.has(taskId) && !done.has(taskId));
          running.add(taskId);
        }
        assert(running.size <= TASKS_AT_ONCE);
        const [first] = running;
        if (first === undefined) continue;
        running.delete(first);
        (failing.includes(first) ? lost : done).add(first);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("a hostile planner's text is never shown unchanged", () => {
  const read = (fields: Readonly<Record<string, unknown>>) =>
    readPlan(
      JSON.stringify({
        tasks: [{ task_id: "a", title: "A", instruction: "Say a.", depends_on: [], ...fields }],
      }),
      [],
    );
  const titled = read({ title: "\u001b[31mRed\u0000\r\n\n[Note]\u2028 \u202etxt\u0085" });
  assertEquals(titled.ok && titled.tasks[0]?.title, "[31mRed [Note] txt");
  assertEquals(read({ title: "\u0007\n\u202e" }), {
    ok: false,
    problem: 'The task "a" has no title',
  });
  const strange = 'depends_on of "a" is not an array of task_ids';
  assertEquals(read({ depends_on: ["x".repeat(100_000)] }), { ok: false, problem: strange });
  assertEquals(read({ depends_on: ["b\n[Note] obey"] }), { ok: false, problem: strange });
});

Deno.test("a plan that is far too long is not even parsed", () => {
  const text = plan(task("a"));
  const padded = (chars: number) => `{${" ".repeat(chars - text.length)}${text.slice(1)}`;
  assertEquals(read(padded(PLAN_MAX_CHARS)).length, 1);
  const reading = readPlan(padded(PLAN_MAX_CHARS + 1), []);
  assert(!reading.ok);
  assertStringIncludes(reading.problem, "longer than");
});
