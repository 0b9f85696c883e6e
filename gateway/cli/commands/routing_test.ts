import { assert, assertEquals, assertMatch } from "@std/assert";
import { START_MS } from "../../admin/admin_test_support.ts";
import { learnedRow, noteTraffic, TASKS } from "../../admin/routing/learned_fixture.ts";
import { assertFailed, type TestCli, withCli } from "../cli_test_support.ts";

const ON_TERMINAL = { isTerminal: true, columns: 80 };

function withLearned(test: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    await cli.run("wallets create lab");
    noteTraffic(cli.admin.learning, { atMs: START_MS });
    await cli.admin.learning.take();
    await test(cli);
  });
}

function assertFits(out: string): void {
  for (const line of out.split("\n")) assert([...line].length <= 80, line);
}

Deno.test("svc routing tasks lists tasks with shares, quality and savings, also in 80 columns", async () => {
  await withLearned(async ({ run, json }) => {
    const { out } = await run("routing tasks");
    assertMatch(out, /^TASK +WALLET +REQUESTS +MODELS +QUALITY +CHARGED +SAVED +ALWAYS BEST/);
    assertMatch(out, /a1b2c3d4 +team +30 +fast-mini 67%, slow-maxi 33% +0\.\d\d \(0\.\d\d-/);
    assertMatch(out, /\ncharged +28\.600000, saved 59%\n/);
    const narrow = await run("routing tasks", ON_TERMINAL);
    assertMatch(narrow.out, /^TASK .*SAVED/);
    assertFits(narrow.out);
    const only = await json("routing tasks --wallet lab");
    assertEquals(only.tasks.map(({ task }: { task: string }) => task), [TASKS.lab]);
    assertFailed(await run("routing tasks --wallet nowhere"), 'There is no wallet "nowhere"');
  });
});

Deno.test("svc routing tasks says that nothing was learned yet", async () => {
  await withCli(async ({ run }) => {
    assertEquals((await run("routing tasks")).out, "Routing has learned about no task yet\n");
  });
});

Deno.test("svc routing tasks TASK shows outcomes by source and plans", async () => {
  await withLearned(async ({ run, json }) => {
    const { out } = await run("routing tasks a1b2c3d4", ON_TERMINAL);
    assertFits(out);
    assertMatch(out, /\nModels\nMODEL +REQUESTS +SHARE +QUALITY +CHARGED +OUTCOMES\n/);
    assertMatch(out, /\nPlans of verified answers\nASKED TOGETHER +ELSE/);
    assertMatch(out, /\nIts requests: svc requests --task a1b2c3d4\n$/);
    assertMatch((await run("routing tasks a1b2c3d4")).out, /feedback 15 \(\d+% good\), audit 5/);
    assertEquals((await json(`routing tasks ${TASKS.lab}`)).wallet, "lab");
    const wrong = await run("routing tasks a1b2c3d4 --wallet team");
    assertEquals(wrong.code, 2);
    assertMatch(wrong.err, /^One task has no use for --wallet\n/);
  });
});

Deno.test("svc routing explain shows the decision with the estimates of all candidates", async () => {
  await withLearned(async ({ admin, run, json }) => {
    await admin.deps.log.append(learnedRow("log_1", { atMs: START_MS, snapshot: 1 }));
    const { out } = await run("routing explain log_1", ON_TERMINAL);
    assertFits(out);
    assertMatch(out, /\nplan +value\ntask +5f3c9ab2d4e60718\ndial +balanced, targets 40% of/);
    assertMatch(out, /\np +0\.9 ± 0\.04, 20 outcomes at the task\nsnapshot +1\n/);
    assertMatch(out, /\nfast-mini \* +0\.71 +0\.\d+ +0\.\d+ +20 +0\.6\n/);
    assertMatch(out, /\nLeft out\nMODEL +STAGE +REASON\nthird +tier/);
    assertEquals((await json("routing explain req_log_1")).id, "log_1");
    await admin.deps.log.append(learnedRow("log_2", { atMs: START_MS, snapshot: 44 }));
    assertMatch((await run("routing explain log_2")).out, /\nsnapshot +44, no longer stored/);
    assertFailed(await run("routing explain log_3"), 'There is no request "log_3"');
  });
});

Deno.test("svc requests show has the learned facts of the decision", async () => {
  await withLearned(async ({ admin, run }) => {
    await admin.deps.log.append(learnedRow("log_1", { atMs: START_MS, snapshot: 1 }));
    const { out } = await run("requests show log_1");
    const expected = "\ntask        5f3c9ab2d4e60718\nsnapshot    1\n" +
      "p           0.9 ± 0.04, 20 outcomes\ndial        balanced\nplan        value\n";
    assert(out.includes(expected), out);
    assertMatch((await run("requests --task 5f3c9ab2")).out, /log_1/);
    assertEquals((await run("requests --task ffffffff")).out, "No requests\n");
  });
});

Deno.test("svc routing freezes at the newest snapshot or a number, and unfreezes", async () => {
  await withLearned(async ({ admin, run, json }) => {
    noteTraffic(admin.learning, { atMs: START_MS });
    await admin.learning.take();
    const { out } = await run("routing freeze 1");
    assertEquals(out, "in force  snapshot 1\nnewest    snapshot 2\nfrozen    at snapshot 1\n");
    assertEquals((await json("routing unfreeze")).frozen, null);
    assertEquals((await json("routing freeze")).frozen, 2);
    assertFailed(await run("routing freeze 9"), "The snapshot 9 is not stored");
    const wrong = await run("routing freeze soon");
    assertEquals([wrong.code, wrong.out], [2, ""]);
    assertMatch(wrong.err, /not "soon"\nUsage: svc routing freeze \[N\]/);
    assertEquals((await run("routing freeze 1 2")).code, 2);
  });
});

Deno.test("svc routing reset asks first, and names what still decides", async () => {
  await withLearned(async ({ run, json, questions }) => {
    assertEquals((await run("routing reset")).code, 1);
    await run("routing freeze");
    const { out } = await run("routing reset --task a1b2c3d4", ON_TERMINAL);
    assertEquals(questions, ["Remove what routing has learned about the task a1b2c3d4?"]);
    assertMatch(out, /^tasks removed +1\nwallets changed +1\nsnapshot +2\nThe frozen snapshot 1 /);
    assertEquals((await json("routing reset --wallet lab --yes")).tasks, 1);
    assertEquals((await json("routing reset --yes")).tasks, 1);
    assertEquals((await json("routing tasks")).tasks, []);
  });
});

Deno.test("svc routing export writes lines, one document, or a file", async () => {
  await withLearned(async ({ run, json, files }) => {
    const { out } = await run("routing export");
    const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.at(-1), { kind: "end", lines: lines.length - 1 });
    assertEquals(await json("routing export --snapshot 1"), lines);
    const saved = await json("routing export --output routing.ndjson");
    assertEquals(saved, { file: "routing.ndjson", snapshot: 1, lines: lines.length - 1 });
    assertEquals(files.get("routing.ndjson"), out);
    assertFailed(await run("routing export --snapshot 9"), "The snapshot 9 is not stored");
    assertEquals((await run("routing export --force")).code, 2);
  });
});
