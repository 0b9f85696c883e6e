import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { START_MS, type TestAdmin } from "../../../admin/admin_test_support.ts";
import { learnedRow, noteTraffic, TASKS } from "../../../admin/routing/learned_fixture.ts";
import { formOf, type TestBrowser, withConsole } from "../../console_test_support.ts";

function withLearned(
  run: (browser: TestBrowser, admin: TestAdmin) => Promise<void>,
): Promise<void> {
  return withConsole(async (browser, admin) => {
    await admin.post("/wallets", { id: "lab", credits: "5" });
    noteTraffic(admin.learning, { atMs: START_MS });
    await admin.learning.take();
    await browser.signIn();
    await run(browser, admin);
  });
}

/** The text of a page's markup. */
function wordsOf(markup: string): string {
  return markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

/** The fields of the one form whose markup contains a text. */
function formWith(html: string, text: string): Record<string, string> {
  const forms = [...html.matchAll(/<form .*?<\/form>/gs)].map(([form]) => form)
    .filter((form) => form.includes(text));
  assertEquals(forms.length, 1, text);
  return formOf(forms[0] ?? "");
}

Deno.test("the page sums tasks up, and lists each with shares, quality and cost", async () => {
  await withLearned(async (browser) => {
    const { status, text } = await browser.get("/routing");
    assertEquals(status, 200);
    const words = wordsOf(text);
    assertMatch(words, /Requests 70 of 3 tasks/);
    assertMatch(words, /Cost 28\.60 credits Always the best 70\.00 would have cost/);
    assertMatch(words, /Saving 59.% beside always the best model/);
    assertMatch(words, /a1b2c3d4 team 30 fast-mini 67.% slow-maxi 33.%/);
    assertStringIncludes(text, `href="/console/routing/${TASKS.answers}"`);
    assertMatch(text, /<rect class="ink-1" fill="currentcolor" x="0.00" width="66.67"/);
    const lab = wordsOf((await browser.get("/routing?wallet=lab")).text);
    assertMatch(lab, /Requests 10 of 1 task /);
  });
});

Deno.test("the page states the difficulty at which each of its qualities holds", async () => {
  await withLearned(async (browser) => {
    const words = wordsOf((await browser.get("/routing")).text);
    assertMatch(words, /share of good answers at requests of typical difficulty/);
    assertMatch(
      words,
      /recorded decisions at another position, with quality at their own difficulty/,
    );
  });
});

Deno.test("the page is in Chinese where the reader chose it", async () => {
  await withLearned(async (browser) => {
    const { text } = await browser.get("/routing", { "accept-language": "zh" });
    assertStringIncludes(text, "估计质量");
    assertStringIncludes(text, "审核预算");
  });
});

Deno.test("the page says that nothing was learned yet", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const words = wordsOf((await browser.get("/routing")).text);
    assertMatch(words, /Routing has not learned anything yet/);
    assertMatch(words, /There are no recorded decisions yet/);
    assertMatch(words, /There is no traffic to audit yet/);
  });
});

Deno.test("a position of the dial is tried, reviewed and applied as one version", async () => {
  await withLearned(async (browser, { deps }) => {
    const plain = await browser.get("/routing");
    assert(!plain.text.includes("to the catalog"));
    const tried = await browser.get("/routing?dial=1");
    // The wallet "lab" has no long record: of its equal models the cheaper one is the measure.
    assertMatch(
      wordsOf(tried.text),
      /At best 70\.00 115.% .*? slow-maxi 100.% Always the best 61\.00/,
    );
    const before = deps.catalogs.current();
    const form = formWith(tried.text, 'name="position"');
    assertEquals(form, { do: "dial", position: "1", base: String(before.version) });
    const review = await browser.post("/routing", form);
    assertEquals([review.status, deps.catalogs.current().version], [200, before.version]);
    assertMatch(wordsOf(review.text), /Difference Choice of models Changed dial/);
    const applied = await browser.post("/catalog/apply", {
      ...formWith(review.text, 'name="content"'),
      do: "apply",
    });
    assertEquals(applied.status, 303);
    const after = deps.catalogs.current();
    assertEquals([after.version, after.auto?.dial], [before.version + 1, 1]);
    assertMatch(wordsOf((await browser.get("/routing")).text), /In force: best/);
  });
});

Deno.test("a position that is none is refused, and the field keeps it", async () => {
  await withLearned(async (browser) => {
    const { status, text } = await browser.get("/routing?dial=7");
    assertEquals(status, 422);
    assertStringIncludes(text, "Give a number from 0 to 1");
    assertMatch(text, /name="dial"[^>]*value="7"|value="7"[^>]*name="dial"/);
  });
});

Deno.test("the audit budget is computed from the traffic of a day", async () => {
  await withLearned(async (browser, { deps }) => {
    for (let at = 0; at < 100; at++) {
      await deps.log.append(learnedRow(`log_${at}`, { atMs: START_MS - 60_000, snapshot: 1 }));
    }
    const words = wordsOf((await browser.get("/routing?credits=2.5")).text);
    assertMatch(words, /Cost of one audit 1\.25 mean of the recorded audits Audits a day 2 /);
    const wrong = await browser.get("/routing?credits=many");
    assertEquals(wrong.status, 422);
    assertStringIncludes(wrong.text, "Give an amount of credits");
  });
});

Deno.test("routing is frozen at a snapshot, and follows the newest again", async () => {
  await withLearned(async (browser, { learning }) => {
    const { text } = await browser.get("/routing");
    assertStringIncludes(text, "Routing follows the newest snapshot, 1.");
    const froze = await browser.post("/routing", formWith(text, 'value="freeze"'));
    assertEquals([froze.status, froze.headers.get("location")], [303, "/console/routing"]);
    noteTraffic(learning, { atMs: START_MS });
    await learning.take();
    const frozen = (await browser.get("/routing")).text;
    assertStringIncludes(frozen, "Routing is frozen at snapshot 1; the newest is 2.");
    await browser.post("/routing", formWith(frozen, 'value="unfreeze"'));
    assertEquals(learning.snapshot().number, 2);
    const gone = await browser.post("/routing", { do: "freeze", snapshot: "9" });
    assertEquals(gone.status, 422);
    assertStringIncludes(gone.text, "The snapshot 9 is not stored");
    assertEquals((await browser.post("/routing", { do: "nothing" })).status, 400);
  });
});

Deno.test("a task's page has its models, outcomes by source, plans and requests", async () => {
  await withLearned(async (browser, { deps }) => {
    const { status, text } = await browser.get(`/routing/${TASKS.summaries}`);
    assertEquals(status, 200);
    const words = wordsOf(text);
    assertMatch(words, /fast-mini 20 67.% .*feedback: 15\.0, 100.% good audit: 5\.0, 100.% good/);
    assertMatch(words, /fast-mini \+ fast-mini-2 slow-maxi/);
    assertStringIncludes(text, 'href="/console/requests?task=5f3c9ab2"');
    await deps.log.append(learnedRow("log_1", { atMs: START_MS - 1_000, snapshot: 1 }));
    assertStringIncludes((await browser.get("/requests?task=5f3c9ab2")).text, "log_1");
    assertEquals((await browser.get("/routing/ffffffffffffffff")).status, 404);
  });
});

Deno.test("the page of a request shows task, snapshot, estimate, dial and plan", async () => {
  await withLearned(async (browser, { deps }) => {
    await deps.log.append(learnedRow("log_1", { atMs: START_MS, snapshot: 1 }));
    const { text } = await browser.get("/requests/log_1");
    assertStringIncludes(text, `href="/console/routing/${TASKS.summaries}"`);
    assertMatch(
      wordsOf(text),
      /Task 5f3c9ab2 Snapshot 1 Estimated quality 90.% ± 4\.0.%, from 20 outcomes at the task Dial balanced Decided by highest value/,
    );
  });
});
