import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { CONTENT } from "../../../admin/admin_test_support.ts";
import { healthOf } from "./answers.ts";
import { withConsole } from "../../console_test_support.ts";

const HOSTILE = "<script>alert(1)</script>\u0007\u202e";
const LAB = "/upstreams/upstream?id=lab";

Deno.test("upstreams show how they are, and never their key", async () => {
  await withConsole(async (browser, { pool }) => {
    await browser.signIn();
    const reason = `cooling down: ${HOSTILE}`;
    pool.set("fast-mini", { available: false, reason, retryAfterMs: 42_000, latencyMs: 300 });
    const list = await browser.get("/upstreams");
    for (const part of ["Partly available", "1 of 2", "3 / 200", "300 ms", "5 of 12"]) {
      assertStringIncludes(list.text.replace(/<[^>]+>/g, ""), part);
    }
    const page = await browser.get(LAB);
    assertStringIncludes(page.text, "5 of 12 in 15 minutes");
    assertStringIncludes(page.text, "120,000");
    assertStringIncludes(page.text, "again in 42 s");
    assertStringIncludes(page.text, String.raw`\u{7}\u{202e}`);
    for (const { text } of [list, page, await browser.get("/upstreams/upstream/edit?id=lab")]) {
      assertNotMatch(text, /<script>|provider-secret/);
    }
    assertEquals((await browser.get("/upstreams/upstream?id=%3Cscript%3E")).status, 404);
  });
});

Deno.test("the state of an upstream follows from its failures", async () => {
  const health = (state: "available" | "degraded" | "unavailable", failures: number, of: number) =>
    healthOf({ state, recent: { minutes: 15, attempts: of, failures, failovers: 0 } });
  assertEquals(health("available", 26, 51), "failing");
  assertEquals(health("degraded", 26, 51), "failing");
  assertEquals(health("unavailable", 51, 51), "unavailable");
  assertEquals(health("available", 6, 51), "unsteady");
  assertEquals(health("degraded", 6, 51), "degraded");
  assertEquals(health("available", 5, 51), "available");
  // Of so few nothing is concluded.
  assertEquals(health("available", 4, 4), "available");
  await withConsole(async (browser, { deps }) => {
    deps.pool.recent = () => ({ attempts: 51, failures: 26, failovers: 21 });
    await browser.signIn();
    for (const path of ["/upstreams", LAB, "/overview"]) {
      const { text } = await browser.get(path);
      assertStringIncludes(text, '<span class="badge badge-bad">Failing</span>', path);
      assertMatch(text, /51.%.*26 of 51/s, path);
      assertMatch(text, /Failovers/, path);
      assertMatch(text, />21</, path);
    }
    assertNotMatch((await browser.get("/upstreams")).text, />Available</);
  });
});

Deno.test("a probe lists what the upstream offers, to be added", async () => {
  const names = [`fast-mini`, HOSTILE];
  const connect = () => ({ models: () => Promise.resolve(names), close: () => {} });
  await withConsole(async (browser) => {
    await browser.signIn();
    const page = await browser.post(LAB);
    assertStringIncludes(page.text, "lists 2 models");
    assertStringIncludes(page.text, 'href="/console/catalog/model?id=fast-mini">fast-mini</a>');
    assertStringIncludes(page.text, "/console/catalog/model/new?upstream=lab&amp;model=");
    assertNotMatch(page.text, /<script>/);
  }, { connect });
});

Deno.test("a long list of models comes whole, on the page that asked for it, up to a limit", async () => {
  const names = Array.from({ length: 600 }, (_, at) => `model-${at}`);
  const connect = () => ({ models: () => Promise.resolve(names), close: () => {} });
  await withConsole(async (browser) => {
    await browser.signIn();
    const { text } = await browser.post(LAB);
    assertStringIncludes(text, "lists 600 models");
    assertStringIncludes(text, "<code>model-499</code>");
    assertStringIncludes(text, "100 more are not shown.");
    assertNotMatch(text, /from=50|model-500/);
  }, { connect });
});

Deno.test("an upstream that is not there is not probed, also where its id is dots", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    for (const id of ["..", ".", "none", "%3Cb%3E"]) {
      assertEquals((await browser.post(`/upstreams/upstream?id=${id}`)).status, 404, id);
    }
    for (const id of [".", ".."]) {
      const upstreams = [...CONTENT.upstreams, { id, kind: "simulator" }];
      const { status } = await admin.post("/catalog/apply", { content: { ...CONTENT, upstreams } });
      assertEquals(status, 400);
    }
  });
});

Deno.test("every credential of an upstream is named, not only a key", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const bedrock = {
      ...{ id: "aws", kind: "amazon-bedrock", region: "eu-west-1" },
      ...{ accessKeyIdEnv: "AWS_ACCESS_KEY_ID", secretAccessKeyEnv: "AWS_SECRET_ACCESS_KEY" },
    };
    const upstreams = [...CONTENT.upstreams, bedrock, { id: "sim", kind: "simulator" }];
    await admin.post("/catalog/apply", { content: { ...CONTENT, upstreams } });
    const { text } = await browser.get("/upstreams/upstream?id=aws");
    for (const part of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "eu-west-1"]) {
      assertStringIncludes(text, `<code>${part}</code>`);
    }
    assertNotMatch(text, /<dt>Key<\/dt>/);
    assertStringIncludes((await browser.get("/upstreams/upstream?id=sim")).text, "none");
  });
});

Deno.test("a probe that fails says why, and what to do", async () => {
  const models = () => Promise.reject(new Error(`Connection refused ${HOSTILE}`));
  await withConsole(async (browser) => {
    await browser.signIn();
    const page = await browser.post(LAB);
    assertStringIncludes(page.text, "Connection refused &lt;script&gt;");
    assertStringIncludes(page.text, "check that the server runs at that address");
    const foreign = await browser.post(LAB, {}, { origin: "https://page.example" });
    assertEquals(foreign.status, 403);
  }, { connect: () => ({ models, close: () => {} }) });
});

Deno.test("an edit of an upstream keeps its key without revealing any of it", async () => {
  await withConsole(async (browser, { stores }) => {
    await browser.signIn();
    const form = { base: "1", kind: "openai-compatible", maxInFlight: "20", onDisconnect: "drain" };
    const fields = { ...form, provider: "lab", baseUrl: "http://127.0.0.1:11434/v1" };
    const edit = "/upstreams/upstream/edit?id=lab";
    const review = await browser.post(edit, fields);
    assertStringIncludes(review.text, "maxInFlight");
    assertNotMatch(review.text, /provider-secret/);
    const [, content = ""] = /name="content" value="([^"]*)"/.exec(review.text) ?? [];
    const sent = { base: "1", do: "apply", content: content.replaceAll("&quot;", '"') };
    assertEquals((await browser.post("/catalog/apply", sent)).status, 303);
    const [lab] = stores.catalogs.current().upstreams;
    assertEquals([lab?.maxInFlight, lab?.onDisconnect], [20, "drain"]);
    assertEquals(lab?.apiKey, "provider-secret");
    const moved = { ...fields, base: "2", baseUrl: "http://127.0.0.1:1/v1" };
    assertEquals((await browser.post(edit, moved)).status, 400, "a key does not go elsewhere");
    const forgotten = await browser.post(edit, { ...moved, forgetKey: "on" });
    assertStringIncludes(forgotten.text, "(hidden)");
    assertEquals(forgotten.status, 200);
  });
});
