import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CONTENT, START_MS } from "../../../admin/admin_test_support.ts";
import { assertFailed, withCli } from "../../cli_test_support.ts";

const CHEAPER = JSON.stringify({ ...CONTENT, models: CONTENT.models.slice(0, 1) });

Deno.test("svc apply shows the difference, then applies it as one version", async () => {
  await withCli(async ({ admin, files, questions, run, json }) => {
    files.set("svc.json", CHEAPER);
    const version = () => admin.deps.catalogs.current().version;
    const rehearsed = await run("apply -f svc.json --dry-run");
    assertEquals([rehearsed.code, version()], [0, 1]);
    assertEquals(rehearsed.out, "- models.slow-maxi\n");
    const applied = await run("apply -f svc.json --note cheaper");
    assertEquals(applied.out, `${rehearsed.out}Applied as version 2\n`);
    assertEquals(await run("apply -f svc.json"), {
      code: 0,
      out: "No changes to version 2\n",
      err: "",
    });
    files.set("svc.json", JSON.stringify(CONTENT));
    const changed = await json("apply --file svc.json");
    assertEquals([changed.version, changed.applied, changed.changes.length], [3, true, 1]);
    assertEquals(questions, []);
    assertMatch(
      (await run("catalog history")).out,
      /^VERSION +TIME +NOTE\n +3 .*\n +2 .*cheaper\n/,
    );
    assertEquals((await json("catalog history --limit 1")).versions.length, 1);
  });
});

Deno.test("svc apply asks for confirmation on a terminal, except with --yes", async () => {
  await withCli(async ({ admin, files, questions, run }) => {
    files.set("svc.json", CHEAPER);
    const refused = await run("apply -f svc.json", {
      isTerminal: true,
      confirm: (question) => Promise.resolve(questions.push(question) === 0),
    });
    assertEquals([refused.code, refused.err], [1, "Nothing was changed\n"]);
    assertEquals(admin.deps.catalogs.current().version, 1);
    assertEquals((await run("apply -f svc.json", { isTerminal: true })).code, 0);
    assertEquals(questions, ["Apply these changes?", "Apply these changes?"]);
    files.set("svc.json", JSON.stringify(CONTENT));
    assertEquals((await run("apply -yf svc.json", { isTerminal: true })).code, 0);
    assertEquals([questions.length, admin.deps.catalogs.current().version], [2, 3]);
  });
});

Deno.test("svc apply applies what it showed, or nothing", async () => {
  await withCli(async ({ admin, files, run }) => {
    files.set("svc.json", CHEAPER);
    const confirm = async () => {
      const options = { expected: 1, note: "", atMs: START_MS };
      await admin.stores.catalogs.apply({ ...CONTENT, auto: { dial: 0.3 } }, options);
      return true;
    };
    const { code, err } = await run("apply -f svc.json", { isTerminal: true, confirm });
    assertEquals(code, 1);
    assertStringIncludes(err, "The catalog is at version 2, not 1");
  });
});

Deno.test("svc apply reads a file once: it may be a pipe, or edited while the question is open", async () => {
  await withCli(async ({ admin, files, run }) => {
    files.set("svc.json", CHEAPER);
    const confirm = () => Promise.resolve(Boolean(files.set("svc.json", "{}")));
    const { code } = await run("apply -f svc.json", { isTerminal: true, confirm });
    assertEquals([code, admin.deps.catalogs.current().models.length], [0, 1]);
  });
});

Deno.test("svc apply quotes nothing of an invalid JSON file: it may contain a key", async () => {
  await withCli(async ({ files, run }) => {
    files.set("svc.json", '{\n  "apiKey": planted-key\n}');
    assertFailed(
      await run("apply -f svc.json"),
      'Cannot read "svc.json": it is not JSON at line 2, column 13',
    );
  });
});

Deno.test("svc catalog show says where web search asks and what it costs", async () => {
  await withCli(async ({ admin, run }) => {
    assert(!(await run("catalog show")).out.includes("web search"));
    const { version: _, updatedAtMs: __, ...content } = admin.deps.catalogs.current();
    const search = { kind: "searxng", baseUrl: "http://127.0.0.1:9", pricePerSearch: "0" } as const;
    await admin.deps.applyCatalog({ ...content, search }, { expected: 1, note: "search" });
    assertMatch(
      (await run("catalog show")).out,
      /\nweb search +searxng http:\/\/127\.0\.0\.1:9, \$0 a search\n/,
    );
  });
});

Deno.test("svc catalog show names the limits in force and their source", async () => {
  await withCli(async ({ admin, run }) => {
    const limitsShown = async () => /\nlimits +(.*)\n/.exec((await run("catalog show")).out)?.[1];
    assertEquals(
      await limitsShown(),
      "maxInFlight 1000, queueMs 2000, queueLength 1000, badKeysPerMinute 30, " +
        "bodyMegabytes 128, bodyMegabytesPerKey 64",
    );
    const { version: _, updatedAtMs: __, ...content } = admin.deps.catalogs.current();
    const limits = { maxInFlight: 7, queueMs: 0, queueLength: 5, badKeysPerMinute: 0 };
    await admin.deps.applyCatalog({ ...content, limits }, { expected: 1, note: "limits" });
    assertEquals(
      await limitsShown(),
      "maxInFlight 7, queueMs 0, queueLength 5, badKeysPerMinute 0, " +
        "bodyMegabytes 128, bodyMegabytesPerKey 64",
    );
  });
});

Deno.test("svc catalog show says what vector stores are embedded with", async () => {
  await withCli(async ({ admin, run, json }) => {
    assert(!(await run("catalog show")).out.includes("embeddings"));
    const { version: _, updatedAtMs: __, ...content } = admin.deps.catalogs.current();
    const vectorStores = { embeddings: { upstream: "lab", model: "nomic-embed-text" } };
    await admin.deps.applyCatalog({ ...content, vectorStores }, { expected: 1, note: "embed" });
    assertMatch((await run("catalog show")).out, /\nembeddings +nomic-embed-text of lab\n/);
    assertEquals((await json("catalog show")).content.vectorStores, vectorStores);
  });
});

Deno.test("svc catalog shows, checks and rolls back", async () => {
  await withCli(async ({ admin, files, questions, run, json }) => {
    const { out } = await run("catalog show");
    assertMatch(out, /^version +1\n/);
    assertMatch(out, /\nfast-mini +lab +chat +tools +0\.6 +128000\n/);
    assert(!out.includes("provider-secret"));
    assertEquals((await json("catalog show")).content.upstreams[0].apiKey, "(hidden)");
    files.set("svc.json", CHEAPER);
    assertMatch(
      (await run("catalog check -f svc.json")).out,
      /^The configuration is valid\n- models/,
    );
    assertEquals((await json("catalog check -f svc.json")).applied, false);
    files.set("bad.json", '{"upstream": []}');
    assertMatch((await run("catalog check -f bad.json")).err, /"upstreams"/);
    await json("apply -f svc.json");
    const rehearsed = await run("catalog rollback 1 --dry-run");
    assertMatch(rehearsed.out, /^\+ models\.slow-maxi\n/);
    const unasked = await run("catalog rollback 1");
    assertMatch(unasked.err, /^Cannot ask for confirmation here: .*--yes\n$/);
    const isTerminal = true;
    const no = await run("catalog rollback 1", {
      isTerminal,
      confirm: () => Promise.resolve(false),
    });
    assertEquals([no.code, no.err], [1, "Nothing was changed\n"]);
    assertEquals(admin.deps.catalogs.current().version, 2);
    const back = await run("catalog rollback 1", { isTerminal });
    assertEquals(questions, ["Go back to version 1?"]);
    assertMatch(
      back.out,
      /^\+ models\.slow-maxi\n {4}name slow-maxi; [^]*\nApplied as version 3\n$/,
    );
    assertEquals(admin.deps.catalogs.current().models.length, 2);
    const none = await run("catalog rollback first");
    assertFailed(none, 'Cannot roll back to "first": give the number of a version');
    assertFailed(await run("catalog rollback 9"), 'There is no catalog version "9"');
  });
});

Deno.test("svc catalog marks what changed with before and after", async () => {
  await withCli(async ({ files, run }) => {
    files.set("svc.json", JSON.stringify({ ...CONTENT, auto: { dial: 0.8 } }));
    const { out } = await run("apply -f svc.json --dry-run");
    assertEquals(out, "~ auto.dial: 0.5 -> 0.8\n");
  });
});

Deno.test("svc apply warns before it applies, and takes a tier away by force only", async () => {
  await withCli(async ({ admin, files, run, json }) => {
    const policy = { models: ["slow-maxi"] };
    files.set("policy.json", JSON.stringify(policy));
    const { id } = await json("keys create --name slow --wallet team --policy policy.json");
    files.set("svc.json", CHEAPER);
    const all = (await json("keys create --name all --wallet team")).id;
    const warning = `Warning: Key "slow" (${id}) may use none of the models\n` +
      `Warning: Key "all" (${all}) loses the model "slow-maxi"\n`;
    assertEquals((await run("apply -f svc.json --dry-run")).err, warning);
    const checked = await run("catalog check -f svc.json");
    assertEquals([checked.code, checked.err], [0, warning]);
    // A key loses something: a program has to state that this was decided.
    for (const unasked of ["apply -f svc.json", "apply -f svc.json --json"]) {
      const { code, err } = await run(unasked);
      assertEquals(code, 1);
      assertStringIncludes(err, `${warning}Cannot ask for confirmation here: `);
    }
    const confirm = () => Promise.resolve(false);
    const no = await run("apply -f svc.json", { isTerminal: true, confirm });
    assertEquals([no.code, admin.deps.catalogs.current().version], [1, 1]);
    assertEquals((await run("apply -f svc.json --json --yes")).err, warning);
    assertEquals((await run("catalog rollback 1 -y")).err, "");
    assertEquals((await run("catalog rollback 2 -y")).err, warning);
    await run("catalog rollback 1 --yes");

    files.set("svc.json", JSON.stringify({ ...CONTENT, tiers: CONTENT.tiers.slice(0, 1) }));
    const refused = await run("apply -f svc.json");
    assertEquals([refused.code, refused.out], [1, ""]);
    assertMatch(refused.err, /^Cannot remove the tier "standard" of wallet "team"/);
    assertEquals(admin.deps.catalogs.current().version, 5);
    const forced = await run("apply -f svc.json --force --yes");
    assertEquals(forced.code, 0);
    assertStringIncludes(forced.err, 'Warning: Wallet "team" cannot spend');
    assertEquals(admin.deps.catalogs.current().tiers.length, 1);
  });
});

Deno.test("svc apply that leaves no upstream asks for confirmation, and needs --yes without a terminal", async () => {
  const env = () => undefined;
  await withCli(async ({ admin, files, questions, run }) => {
    const [upstream] = CONTENT.upstreams;
    const closed = { id: upstream?.id, kind: "openai", apiKeyEnv: "NOT_SET" };
    files.set("svc.json", JSON.stringify({ ...CONTENT, upstreams: [closed] }));
    const unasked = await run("apply -f svc.json");
    assertEquals(unasked.code, 1);
    assertStringIncludes(unasked.err, "Warning: No upstream is left that can be called");
    assertEquals(admin.deps.catalogs.current().version, 1);
    assertEquals((await run("apply -f svc.json", { isTerminal: true })).code, 0);
    assertEquals(questions, ["Apply these changes anyway?"]);
  }, { env });
});
