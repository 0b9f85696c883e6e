import { assertEquals, assertMatch } from "@std/assert";
import { START_MS } from "../../admin/admin_test_support.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import { withCli } from "../cli_test_support.ts";

const RECORD: RequestRecord = {
  id: "log_1",
  requestId: "order-1",
  atMs: START_MS,
  keyId: "key_a",
  walletId: "team",
  endpoint: "chat",
  stream: false,
  status: 200,
  outcome: "ok",
  durationMs: 4,
  holdIds: [],
  charged: "0.000000",
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  estimated: false,
};

Deno.test("svc requests says when a search stopped before the whole log was read", async () => {
  await withCli(async ({ admin, run, json }) => {
    for (const [records, before] of [[[], ""], [[RECORD], "TIME.*\n.*log_1.*\n"]] as const) {
      admin.deps.log.search = () => Promise.resolve({ records, cursor: "7.3" });
      const { code, out } = await run("requests --match order --limit 2");
      assertEquals(code, 0);
      assertMatch(
        out,
        new RegExp(
          `^${before}The search stopped before it had read the whole log: ` +
            "continue with the same command and --cursor 7.3\n$",
        ),
      );
      assertEquals((await json("requests --match order")).cursor, "7.3");
    }
    admin.deps.log.search = () => Promise.resolve({ records: [RECORD], cursor: "7.3" });
    assertMatch((await run("requests --limit 1")).out, /log_1.*\nMore: --cursor 7.3\n$/);
    admin.deps.log.search = () => Promise.resolve({ records: [] });
    assertEquals((await run("requests --match order --cursor 7.3")).out, "No requests\n");
  });
});

Deno.test("svc requests finds and shows tags and users", async () => {
  await withCli(async ({ admin, run }) => {
    const attribution = { user: "ann", safetyIdentifier: "h1", tags: "env=prod,team=x" };
    await admin.deps.log.append({ ...RECORD, attribution });
    await admin.deps.log.append({ ...RECORD, id: "log_2" });
    const { out } = await run("requests --tag team=x --user h1");
    assertMatch(out, /log_1/);
    assertEquals(out.includes("log_2"), false);
    assertEquals((await run("requests --tag team=y")).out, "No requests\n");
    const shown = (await run("requests show log_1")).out;
    assertMatch(shown, /\nuser +ann\nsafety identifier +h1\ntags +env=prod, team=x\n/);
    assertEquals((await run("requests --tag team")).code, 2);
  });
});

Deno.test("svc requests show reports impossible usage", async () => {
  await withCli(async ({ admin, run }) => {
    const problem = "-1 output tokens are no count";
    const usageProblems = [{ model: "fast-mini", problem }];
    await admin.deps.log.append({ ...RECORD, estimated: true, usageProblems });
    const { out } = await run("requests show log_1");
    assertMatch(out, /counted here/);
    assertMatch(out, /Usage not accepted\nMODEL +WHY\nfast-mini +-1 output tokens are no count\n/);
  });
});

Deno.test("svc requests shows request ids and the names of keys", async () => {
  await withCli(async ({ admin, run, json }) => {
    const { id } = await json("keys create --name app --wallet team");
    await admin.deps.log.append({ ...RECORD, keyId: id });
    const { out } = await run("requests");
    assertMatch(
      out,
      /^TIME +REQUEST .* KEY +MS +REQUEST ID +ENDPOINT\n.* app +4 +order-1 +chat\n$/,
    );
    assertMatch((await run("requests show order-1")).out, new RegExp(`\\nkey +app \\(${id}\\)\\n`));
    const wide = await run("requests", { isTerminal: true, columns: 100 });
    assertMatch(wide.out, /^TIME .* KEY/);
  });
});

Deno.test("svc requests says why a request was refused, also in 80 columns", async () => {
  await withCli(async ({ admin, run }) => {
    const refused = { ...RECORD, status: 403, outcome: "error" } as const;
    await admin.deps.log.append({ ...refused, errorCode: "policy_denied" });
    const { out } = await run("requests --status 4xx");
    assertMatch(out, /^TIME +REQUEST +STATUS +MODEL\/ERROR .*\n.* 403 +policy_denied +0\.000000 /);
    const narrow = await run("requests", { isTerminal: true, columns: 80 });
    assertMatch(narrow.out, /log_1 +403 +policy_/);
  });
});
