import { assert, assertEquals } from "@std/assert";
import {
  ADMIN_TOKEN,
  assertRefused,
  START_MS,
  type TestAdmin,
  withAdmin,
} from "../admin_test_support.ts";
import { learnedRow, noteTraffic, TASKS } from "./learned_fixture.ts";

/** An API whose newest snapshot, number 1, has the traffic of the fixture. */
function withLearned(run: (admin: TestAdmin) => Promise<void>): Promise<void> {
  return withAdmin(async (admin) => {
    await admin.post("/wallets", { id: "lab", credits: "5" });
    noteTraffic(admin.learning, { atMs: START_MS });
    await admin.learning.take();
    await run(admin);
  });
}

/** The text of an export: its lines are not one JSON value. */
async function exported({ app }: TestAdmin, query = ""): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const answer = await app.request(`/admin/v1/routing/export${query}`, { headers });
  return await answer.text();
}

Deno.test("GET /routing/tasks sums requests, shares and costs by task, dearest first", async () => {
  await withLearned(async ({ get }) => {
    const { status, body } = await get("/routing/tasks");
    assertEquals([status, body.snapshot, body.cursor], [200, 1, null]);
    const pages = [(await get("/routing/tasks?limit=2")).body];
    pages.push((await get(`/routing/tasks?limit=2&cursor=${pages[0].cursor}`)).body);
    assertEquals(pages.flatMap(({ tasks }) => tasks), body.tasks);
    assertEquals(pages[1].cursor, null);
    assertEquals(
      [body.totals.tasks, body.totals.requests, body.totals.charged, body.totals.bestCharged],
      [3, 70, "28.600000", "70.000000"],
    );
    assertEquals(body.totals.cheapestCharged, "7.000000");
    const [first] = body.tasks;
    assertEquals([first.wallet, first.requests, first.charged], ["team", 30, "12.000000"]);
    assertEquals(
      first.models.map(({ model, requests, share }: typeof first) => [model, requests, share]),
      [["fast-mini", 20, 0.6667], ["slow-maxi", 10, 0.3333]],
    );
    const only = (await get("/routing/tasks?wallet=lab&limit=1")).body;
    assertEquals([only.tasks.length, only.tasks[0].task, only.cursor], [1, TASKS.lab, null]);
    const one = (await get("/routing/tasks?limit=1")).body;
    assertEquals([one.tasks.length, one.cursor], [1, "p.1"]);
    assertRefused(await get("/routing/tasks?wallet=nowhere"), { status: 404, code: "not_found" });
  });
});

Deno.test("GET /routing/tasks estimates a task with bad outcomes below one without", async () => {
  await withLearned(async ({ get }) => {
    const { tasks } = (await get("/routing/tasks?wallet=team")).body;
    const qualityOf = (id: string) =>
      tasks.find(({ task }: { task: string }) => task === id).quality;
    const [good, bad] = [qualityOf(TASKS.summaries), qualityOf(TASKS.answers)];
    assert(good.p > bad.p, `${good.p} > ${bad.p}`);
    for (const { p, low, high } of [good, bad]) assert(low < p && p < high);
  });
});

Deno.test("GET /routing/tasks/{task} takes eight digits and shows outcomes by source, and plans", async () => {
  await withLearned(async ({ get }) => {
    const { status, body } = await get(`/routing/tasks/${TASKS.answers.slice(0, 8)}`);
    assertEquals([status, body.task, body.audits], [200, TASKS.answers, 0]);
    const cheap = body.models.find(({ model }: { model: string }) => model === "fast-mini");
    assertEquals(
      cheap.sources.map((
        { source, weight }: { source: string; weight: number },
      ) => [source, weight]),
      [["feedback", 15], ["audit", 5]],
    );
    // Its own record is the wallet's, as none of its requests was audited.
    assertEquals(body.plans[0].audits, 6);
    const audited = (await get(`/routing/tasks/${TASKS.summaries}`)).body;
    assertEquals([audited.audits, audited.plans[0].better], [6, "slow-maxi"]);
    assertRefused(await get("/routing/tasks/ffffffff"), { status: 404, code: "not_found" });
    assertRefused(await get("/routing/tasks/nothing"), { status: 404, code: "not_found" });
  });
});

Deno.test("GET /routing/tasks/{task} refuses digits of several tasks and names them", async () => {
  await withAdmin(async ({ get, learning }) => {
    for (const task of ["abcdef0100000000", "abcdef0111111111"]) {
      const note = { walletId: "team", task, model: "fast-mini", atMs: START_MS, charged: 1 };
      learning.noteServed({ ...note, bestFactor: 1, cheapestFactor: 1 });
    }
    await learning.take();
    const answer = await get("/routing/tasks/abcdef01");
    assertRefused(answer, { status: 409, code: "conflict" });
    assert(answer.body.error.message.includes("abcdef0100000000, abcdef0111111111"));
  });
});

Deno.test("GET /routing/requests/{id} recomputes the estimates of all candidates from the snapshot", async () => {
  await withLearned(async ({ get, deps }) => {
    await deps.log.append(learnedRow("log_1", { atMs: START_MS, snapshot: 1 }));
    for (const id of ["log_1", "req_log_1"]) {
      const { body } = await get(`/routing/requests/${id}`);
      assertEquals([body.id, body.snapshot, body.recomputed, body.task], [
        ...["log_1", 1, true],
        TASKS.summaries,
      ]);
      assertEquals([body.dial, body.targetShare, body.plan], [0.5, 0.4, "value"]);
      assertEquals(
        body.candidates.map(({ model, isChosen, score }: typeof body) => [model, isChosen, score]),
        [["fast-mini", true, 0.71], ["slow-maxi", false, 0.42]],
      );
      const { quality } = (await get(`/routing/tasks/${TASKS.summaries}`)).body.models[0];
      assertEquals([body.candidates[0].p, body.candidates[0].pError], [quality.p, quality.error]);
      assertEquals([body.candidates[0].outcomes, body.exclusions[0].stage], [20, "tier"]);
    }
  });
});

Deno.test("GET /routing/requests/{id} keeps the log's facts where the snapshot is gone", async () => {
  await withLearned(async ({ get, deps }) => {
    await deps.log.append(learnedRow("log_1", { atMs: START_MS, snapshot: 99 }));
    const { body } = await get("/routing/requests/log_1");
    assertEquals([body.recomputed, body.p, body.candidates[0].p], [false, 0.9, null]);
    assertRefused(await get("/routing/requests/log_2"), { status: 404, code: "not_found" });
  });
});

Deno.test("GET /routing/requests/{id} names the rows of an id that several requests have", async () => {
  await withLearned(async ({ get, deps }) => {
    for (const id of ["log_1", "log_2"]) {
      const row = learnedRow(id, { atMs: START_MS, snapshot: 1, requestId: "order-1" });
      await deps.log.append(row);
    }
    const answer = await get("/routing/requests/order-1");
    assertRefused(answer, { status: 409, code: "conflict" });
    assert(/log_2, log_1|log_1, log_2/.test(answer.body.error.message));
    assertEquals(answer.body.error.log_ids.toSorted(), ["log_1", "log_2"]);
  });
});

Deno.test("routing is frozen at a snapshot, and follows the newest again", async () => {
  await withLearned(async ({ get, post, learning }) => {
    const frozen = await post("/routing/freeze");
    assertEquals([frozen.status, frozen.body.frozen, frozen.body.inForce], [200, 1, 1]);
    noteTraffic(learning, { atMs: START_MS + 1_000 });
    await learning.take();
    const list = (await get("/routing/snapshots")).body;
    assertEquals([list.inForce, list.newest, list.frozen], [1, 2, 1]);
    assertEquals(list.snapshots.map(({ number }: { number: number }) => number), [2, 1]);
    const followed = (await post("/routing/unfreeze")).body;
    assertEquals([followed.inForce, followed.frozen], [2, null]);
    assertRefused(await post("/routing/freeze", { snapshot: 7 }), {
      ...{ status: 404, code: "not_found", param: "snapshot" },
    });
  });
});

Deno.test("POST /routing/freeze says that there is no snapshot yet", async () => {
  await withAdmin(async ({ post }) => {
    const answer = await post("/routing/freeze");
    assertRefused(answer, { status: 404, code: "not_found" });
    assert(answer.body.error.message.includes("no snapshot yet"));
  });
});

Deno.test("POST /routing/reset removes a task, a wallet, or everything", async () => {
  await withLearned(async ({ get, post }) => {
    const remaining = async () =>
      (await get("/routing/tasks")).body.tasks.map(({ task }: { task: string }) => task).sort();
    const task = await post("/routing/reset", { task: TASKS.answers.slice(0, 8) });
    assertEquals(task.body, { snapshot: 2, wallets: 1, tasks: 1, frozen: null });
    assertEquals(await remaining(), [TASKS.lab, TASKS.summaries]);
    assertRefused(await post("/routing/reset", { task: TASKS.answers }), {
      ...{ status: 404, code: "not_found" },
    });
    assertRefused(await post("/routing/reset", { wallet: "nowhere" }), {
      ...{ status: 404, code: "not_found" },
    });
    assertEquals((await post("/routing/reset", { wallet: "lab" })).body.tasks, 1);
    assertEquals(await remaining(), [TASKS.summaries]);
    assertEquals((await post("/routing/reset")).body.snapshot, 4);
    assertEquals(await remaining(), []);
    assertEquals((await post("/routing/reset")).body, {
      ...{ snapshot: 4, wallets: 0, tasks: 0, frozen: null },
    });
  });
});

Deno.test("GET /routing/export sends all of a snapshot, and the same bytes again", async () => {
  await withLearned(async (admin) => {
    const text = await exported(admin);
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
    assertEquals(["wallet", "task", "sample", "audit"].map(count), [2, 3, 70, 6]);
    assertEquals(lines[0].number, 1);
    assertEquals(lines.at(-1), { kind: "end", lines: lines.length - 1 });
    noteTraffic(admin.learning, { atMs: START_MS + 1_000 });
    await admin.learning.take();
    assertEquals(await exported(admin, "?snapshot=1"), text);
    assertRefused(await admin.get("/routing/export?snapshot=9"), {
      ...{ status: 404, code: "not_found" },
    });
  });
});

Deno.test("GET /routing/replay divides recorded decisions by the dial", async () => {
  await withLearned(async ({ get }) => {
    const economy = (await get("/routing/replay?dial=economy")).body;
    // The cheap model is not good enough at one of the tasks, by its record.
    assertEquals([economy.samples, economy.dial, economy.tried.cost], [70, 0, "34.000000"]);
    assertEquals(economy.tried.models, [
      { model: "fast-mini", samples: 40, share: 0.5714 },
      { model: "slow-maxi", samples: 30, share: 0.4286 },
    ]);
    assertEquals(economy.cheapest.cost, "7.000000");
    const best = (await get("/routing/replay?dial=1")).body;
    // The highest estimate is not always that of the best model on record.
    assert(best.tried.quality.p >= best.best.quality.p, JSON.stringify(best.tried));
    assertEquals(best.best.costShare, 1);
    const { body } = await get("/routing/replay?wallet=team");
    assertEquals([body.dial, body.dialInForce, body.targetShare], [0.5, 0.5, 0.4]);
    assertEquals(body.tried, body.inForce);
    assert(body.tried.costShare <= body.targetShare, `${body.tried.costShare}`);
    assertEquals(body.curve.map(({ dial }: { dial: number }) => dial).length, 11);
    const shares = body.curve.map(({ costShare }: { costShare: number }) => costShare);
    // Economy, the first, may cost more: it leaves out models that are not good enough.
    assertEquals(shares.slice(1), shares.slice(1).toSorted());
    assertRefused(await get("/routing/replay?dial=2"), {
      ...{ status: 400, code: "invalid_request", param: "dial" },
    });
  });
});

Deno.test("GET /routing/audit-budget bounds audits by the budget and by the share of requests", async () => {
  await withLearned(async ({ get, deps }) => {
    const none = (await get("/routing/audit-budget?credits=5")).body;
    assertEquals([none.auditsPerDay, none.limit, none.errorAfterWeek], [0, "share", null]);
    for (let at = 0; at < 200; at++) {
      await deps.log.append(learnedRow(`log_${at}`, { atMs: START_MS - 60_000, snapshot: 1 }));
    }
    const { body } = await get("/routing/audit-budget?credits=5");
    assertEquals([body.auditCredits, body.basis, body.requestsPerDay], ["1.250000", "audits", 200]);
    assertEquals([body.auditsPerDay, body.limit], [4, "budget"]);
    assert(body.errorAfterWeek > 0 && body.errorAfterWeek < 0.1);
    const rich = (await get("/routing/audit-budget?credits=500")).body;
    assertEquals([rich.auditsPerDay, rich.limit], [10, "share"]);
  });
});

Deno.test("GET /requests finds the requests of a task", async () => {
  await withLearned(async ({ get, deps }) => {
    await deps.log.append(learnedRow("log_1", { atMs: START_MS, snapshot: 1 }));
    const other = learnedRow("log_2", { atMs: START_MS, snapshot: 1 });
    await deps.log.append({ ...other, routing: undefined });
    const { requests } = (await get(`/requests?task=${TASKS.summaries.slice(0, 8)}`)).body;
    assertEquals(requests.map(({ id }: { id: string }) => id), ["log_1"]);
  });
});
