import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CONTENT, START_MS } from "../admin/admin_test_support.ts";
import { assertFailed, withCli } from "./cli_test_support.ts";

const TEAM = {
  id: "team",
  tier: "standard",
  credits: "100.000000",
  available: "100.000000",
  held: "0.000000",
  spent: "0.000000",
  writtenOff: "0.000000",
  lowBelow: "10.000000",
  lowBelowSet: false,
  closedAt: null,
  low: false,
};
const CHEAPER = JSON.stringify({ ...CONTENT, models: CONTENT.models.slice(0, 1) });

Deno.test("svc wallets opens, funds and shows wallets", async () => {
  await withCli(async ({ admin, run, json }) => {
    assertEquals(await json("wallets show team"), TEAM);
    admin.clock.ms++;
    const lab = await json("wallets create lab --tier basic --credits 12.5");
    assertEquals([lab.tier, lab.available], ["basic", "12.500000"]);
    assertEquals((await json("wallets list")).wallets, [lab, TEAM]);
    assertEquals((await json("wallets list --tier basic --match LA")).wallets, [lab]);
    const page = await json("wallets list --limit 1");
    assertEquals([page.wallets, page.total], [[lab], 2]);
    assertStringIncludes(
      (await run("wallets list --limit 1")).out,
      `More: --cursor ${page.cursor}`,
    );
    const rest = await json(`wallets list --limit 1 --cursor ${page.cursor}`);
    assertEquals([rest.wallets, rest.cursor], [[TEAM], null]);
    const credited = await json("wallets credit lab 0.5 --note gift");
    assertEquals(credited.credits, "13.000000");
    const { out } = await run("wallets show lab");
    assertMatch(out, /^wallet +lab\ntier +basic\ncredits +13\.000000\navailable +13\.000000\n/);
    assertMatch((await run("wallets list")).out, /^WALLET +TIER +CREDITS/);
    admin.clock.ms++;
    assertFailed(await run("wallets create lab"), 'There is a wallet "lab" already');
    assertFailed(
      await run("wallets show tem"),
      'There is no wallet "tem"; the nearest is "team"',
    );
    assertFailed(
      await run("wallets credit team -- -5"),
      'Cannot accept "credits": Credits must be positive, not -5',
    );
    assertFailed(
      await run("wallets credit team 0"),
      'Cannot accept "credits": Credits must be positive',
    );
    const negative = await run("wallets credit team -12.5");
    assertEquals([negative.code, negative.out], [2, ""]);
    assertMatch(negative.err, /^Credits must be positive, not -12\.5\nUsage: svc wallets credit /);
  });
});

Deno.test("svc wallets credit can be repeated safely after a cut", async () => {
  await withCli(async ({ admin, run, json }) => {
    const fetch = async (url: string, init: RequestInit) => {
      await admin.app.request(url, init);
      throw new TypeError("connection closed");
    };
    const cut = await run("wallets credit team 5", { fetch });
    assertEquals([cut.code, cut.out], [1, ""]);
    const opId = /--op-id (\S+):/.exec(cut.err)?.[1];
    const repeated = await json(`wallets credit team 5 --op-id ${opId}`);
    assertEquals(repeated.credits, "105.000000");
    const message = "This operation id was used for something else; choose a new one";
    assertFailed(await run(`wallets credit team 6 --op-id ${opId}`), message);
  });
});

Deno.test("svc wallets credit can be repeated safely where the gateway, or what is before it, failed", async () => {
  const failures = [
    Response.json({ error: { message: "The service cannot write" } }, { status: 503 }),
    new Response("<h1>Gateway time-out</h1>", { status: 504 }),
  ];
  for (const failure of failures) {
    await withCli(async ({ admin, run, json }) => {
      const fetch = async (url: string, init: RequestInit) => {
        // The credit had landed, and the client could not know.
        await admin.app.request(url, init);
        return failure;
      };
      const failed = await run("wallets credit team 5", { fetch });
      assertEquals([failed.code, failed.out], [1, ""]);
      const opId = /--op-id (\S+):/.exec(failed.err)?.[1];
      assertEquals((await json(`wallets credit team 5 --op-id ${opId}`)).credits, "105.000000");
    });
  }
});

Deno.test("svc wallets statement lists entries and the command for the next page", async () => {
  await withCli(async ({ run, json }) => {
    await json("wallets credit team 5 --note gift");
    const whole = await run("wallets statement team");
    assertMatch(whole.out, /^TIME +KIND +CHANGE +CHARGED +MODEL +KEY +NOTE\n/);
    assertMatch(whole.out, /credit +5\.000000 +gift\n/);
    const first = await run("wallets statement team --limit 1");
    const cursor = /More: --cursor (\S+)\n$/.exec(first.out)?.[1];
    const rest = await json(`wallets statement team --cursor ${cursor}`);
    assertEquals(rest.entries.map(({ kind }: { kind: string }) => kind), ["credit", "open"]);
    const none = await run("wallets statement team --until 1h");
    assertEquals(none.out, "Nothing in this time\n");
  });
});

Deno.test("svc wallets statement marks the charges that a crash of the gateway left", async () => {
  await withCli(async ({ admin, run }) => {
    const { ledger } = admin.stores;
    const call = { walletId: "team", keyId: "k", logId: "l", model: "m", priceVersion: 1 };
    const amounts = { amount: 9n, minimum: 9n, budget: {}, atMs: 1 };
    await ledger.hold({ kind: "hold", holdId: "h", ...call, ...amounts }, { waitMs: 0 });
    const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
    const ended = { kind: "settle", holdId: "h", cost: 4n, ...tokens, estimated: true } as const;
    await ledger.settle({ ...ended, recovered: true, atMs: 2 });
    assertMatch(
      (await run("wallets statement team")).out,
      /settle +0\.000005 +0\.000004 +m +k +at its last checkpoint: gateway restarted\n/,
    );
  });
});

Deno.test("svc keys creates a key and shows it once", async () => {
  await withCli(async ({ files, run, json }) => {
    files.set(
      "policy.json",
      JSON.stringify({ requestsPerMinute: 10, budget: { day: "5", total: "9" } }),
    );
    const key = await json("keys create --name app --wallet team --policy policy.json");
    assertMatch(key.key, /^svc_live_/);
    assertMatch(key.id, /^key_/);
    const { out } = await run("keys create --name app2 --wallet team");
    assertMatch(out, /^svc_live_\w{50}\n\nThis is the only time the key is shown/);
    assertStringIncludes(out, "policy   no restrictions");
    const shown = await run(`keys show ${key.id}`);
    assertMatch(shown.out, /requestsPerMinute +10\n/);
    assertMatch(shown.out, /budget +day 5, total 9\n/);
    assertMatch(shown.out, /in total +0\.000000\n/);
    assert(!shown.out.includes(key.key) && !(await run("keys list")).out.includes(key.key));
    assertEquals((await json("keys list")).keys.length, 2);
    assertEquals((await json(`keys show ${key.id}`)).id, key.id);
  });
});

Deno.test("svc keys narrows, rotates, disables, enables and revokes", async () => {
  await withCli(async ({ files, questions, run, json }) => {
    files.set("ten.json", '{"requestsPerMinute": 10}');
    files.set("five.json", '{"requestsPerMinute": 5}');
    const { id, key } = await json("keys create --name app --wallet team --policy ten.json");
    assertEquals((await json(`keys narrow ${id} --policy five.json`)).policy.requestsPerMinute, 5);
    assertFailed(
      await run(`keys narrow ${id} --policy ten.json`),
      "The policy may not allow more than before: requestsPerMinute",
    );
    const rotated = await json(`keys rotate ${id} --policy five.json --name app2`);
    assertEquals([rotated.rotatedFrom, rotated.name], [id, "app2"]);
    assert(rotated.key !== key);
    assertMatch((await run(`keys rotate ${id}`)).out, /rotated from +key_/);
    assertEquals((await json(`keys disable ${id}`)).status, "disabled");
    assertEquals((await json(`keys enable ${id}`)).status, "active");
    assertMatch(
      (await run(`keys revoke ${id}`)).err,
      /^Cannot ask for confirmation here: .*--yes\n$/,
    );
    const isTerminal = true;
    const confirm = () => Promise.resolve(false);
    assertFailed(await run(`keys revoke ${id}`, { isTerminal, confirm }), "Nothing was changed");
    assertEquals((await json(`keys show ${id}`)).status, "active");
    assertEquals((await run(`keys revoke ${id}`, { isTerminal })).code, 0);
    assertMatch(questions.join(), /^Revoke key "app" \(key_\w+\) for good\? Its callers/);
    assertEquals((await json(`keys revoke ${id}`)).status, "revoked");
    assertFailed(
      await run(`keys enable ${id}`),
      `Key "${id}" is revoked for good; create a new one`,
    );
    assertFailed(await run("keys show key_none"), 'There is no key "key_none"');
  });
});

Deno.test("names and messages cannot steer the terminal", async () => {
  await withCli(async ({ admin, run }) => {
    const name = "a\u001b[31m\nkey_forged  b\u202e";
    const rest = { walletId: "team", policy: {}, hint: "", createdAtMs: START_MS } as const;
    const record = { id: "key_1", name, status: "active", ...rest } as const;
    await admin.deps.keys.create({ record, digest: "1.a" });
    for (const command of ["keys list", "keys show key_1", "keys narrow \u001b[31m --policy p"]) {
      const { out, err } = await run(command, { readFile: () => Promise.resolve("{}") });
      assert(/^[^\p{Cc}\p{Cf}]*$/u.test((out + err).replaceAll("\n", "")), command);
      assert(!/^key_forged/m.test(out), command);
    }
  });
});

Deno.test("unreadable files and files that are not JSON are reported as such", async () => {
  await withCli(async ({ files, run }) => {
    const create = "keys create --name app --wallet team --policy";
    assertFailed(await run(`${create} none.json`), 'Cannot read "none.json": No such file');
    files.set("bad.json", "{ policy }");
    assertMatch(
      (await run(`${create} bad.json`)).err,
      /^Cannot read "bad.json": it is not JSON at line 1, column 3$/m,
    );
    files.set("list.json", "[]");
    assertMatch((await run(`${create} list.json`)).err, /^Cannot accept "policy": /);
  });
});

Deno.test("svc requests lists, filters and shows requests", async () => {
  await withCli(async ({ admin, run, json }) => {
    const attempts = [{ model: "fast-mini", provider: "lab", outcome: "ok", status: 200, ms: 400 }];
    const reason = "Cheapest that is good enough";
    await admin.deps.log.append({
      id: "log_1",
      requestId: "order-42",
      atMs: START_MS,
      keyId: "key_a",
      walletId: "team",
      endpoint: "chat",
      stream: true,
      status: 200,
      outcome: "ok",
      durationMs: 420,
      firstByteMs: 80,
      routing: {
        model: "fast-mini",
        provider: "lab",
        tier: "standard",
        reason,
        considered: 2,
        attempts: [...attempts, { model: "fast-mini", provider: "lab", outcome: "ok", ms: 9 }],
      } as never,
      exclusions: [{ model: "slow-maxi", stage: "policy", reason: "not allowed" }],
      holdIds: ["hold_1", "hold_2"],
      charged: "0.412000",
      inputTokens: 12,
      cachedInputTokens: 2,
      outputTokens: 30,
      estimated: true,
    });
    const list = await run("requests --status 2xx --key key_a --since 1h");
    assertMatch(list.out, /log_1 +200 +fast-mini +0\.412000 +key_a +420 +order-42 +chat\n$/);
    assertEquals((await json("requests --limit 5")).requests.length, 1);
    assertEquals((await run("requests --status 500")).out, "No requests\n");
    for (const id of ["log_1", "order-42"]) {
      const { out } = await run(`requests show ${id}`);
      assertMatch(out, /endpoint +chat \(stream\)\nstatus +200 ok\n/);
      assertMatch(out, /duration +420 ms\nfirst byte +80 ms\n/);
      assertMatch(out, /tokens +12 in \(2 cached\), 30 out, counted here\n/);
      assertMatch(out, /holds +hold_1, hold_2\n\nAttempts\nMODEL/);
      assertMatch(out, /\nLeft out\nMODEL +STAGE +REASON\nslow-maxi +policy +not allowed\n$/);
    }
    assertEquals((await json("requests show log_1")).attempts.length, 2);
    assertFailed(await run("requests show none"), 'There is no request "none"');
  });
});

Deno.test("svc usage sums by day, key and model", async () => {
  await withCli(async ({ admin, run, json }) => {
    assertEquals((await run("usage")).out, "No usage in this time\n");
    const { id } = await json("keys create --name app --wallet team");
    const hold = { holdId: "h1", walletId: "team", keyId: id, logId: "l1", model: "fast-mini" };
    const amounts = { amount: 2_000_000n, minimum: 1n, budget: {}, priceVersion: 1 };
    const atMs = START_MS;
    await admin.deps.ledger.hold({ kind: "hold", ...hold, ...amounts, atMs }, { waitMs: 0 });
    const tokens = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, estimated: false };
    await admin.deps.ledger.settle({ kind: "settle", holdId: "h1", cost: 5n, ...tokens, atMs });
    assertMatch((await run("usage")).out, /^DAY +REQUESTS .*\n2026-11-21 +1 +10 +4 +5 +0\.000005 /);
    assertMatch((await run("usage --by key")).out, /\nkey_\w+ +app +1 /);
    assertEquals((await json("usage --by model --since 1h")).usage[0].model, "fast-mini");
  });
});

Deno.test("svc models lists models with the state of the pool", async () => {
  await withCli(async ({ admin, run, json }) => {
    admin.pool.set("fast-mini", { available: true, latencyMs: 120.4 });
    admin.pool.set("slow-maxi", { available: false, reason: "Asked to wait" });
    const { out } = await run("models");
    assertMatch(out, /\nfast-mini +lab +available +3 +120 +0\.25 +2\.00\n/);
    assertMatch(out, /\nslow-maxi +lab +degraded +3 +2\.50 +2\.00 +Asked to wait\n/);
    const wide = await run("models", { isTerminal: true, columns: 60 });
    assert(wide.out.split("\n").some((line) => line.includes("…")));
    assertEquals((await json("models")).models.length, 2);
    assert(!out.includes("IMAGE"), "no model has a price for images");
  });
});

Deno.test("flag values that the gateway refuses are wrong usage", async () => {
  await withCli(async ({ run }) => {
    const cases: readonly [string, string, string][] = [
      ["wallets statement team --since yesterday", "--since", '"yesterday" is no ISO 8601 time'],
      ["wallets statement team --cursor garbage", "--cursor", "Give the cursor that came"],
      ["requests --status 999", "--status", "Give a status as 429"],
      ["requests --limit 100000", "--limit", "Give a whole number from 1 to 500"],
      ["requests --cursor garbage", "--cursor", "Give the cursor that came"],
      ["requests --min-charged much", "--min-charged", "Give an amount of credits"],
      ["usage --by wallet", "--by", ""],
      ["catalog history --limit none", "--limit", "Give a whole number"],
    ];
    for (const [command, flag, reason] of cases) {
      const { code, out, err } = await run(command);
      assertEquals([code, out], [2, ""], command);
      assert(err.startsWith(`Cannot accept ${flag}: ${reason}`), err);
      const words = command.slice(0, command.indexOf(" --"));
      assertStringIncludes(err, `\nUsage: svc ${words.replace(" team", "")}`);
    }
  });
});

Deno.test("files with a byte order mark are read", async () => {
  await withCli(async ({ files, run }) => {
    files.set("svc.json", `\uFEFF${CHEAPER}`);
    assertEquals((await run("catalog check -f svc.json")).code, 0);
  });
});

const ENDED = {
  requestId: "order-43",
  atMs: START_MS,
  walletId: "team",
  endpoint: "chat",
  stream: true,
  status: 200,
  durationMs: 420,
  holdIds: [],
  charged: "0.100000",
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  estimated: false,
} as const;

Deno.test("svc requests shows how a request ended where its status does not say it", async () => {
  await withCli(async ({ admin, run }) => {
    const outcomes = ["killed", "cut", "client_left"] as const;
    for (const outcome of outcomes) {
      await admin.deps.log.append({ ...ENDED, id: `log_${outcome}`, keyId: "key_a", outcome });
    }
    const { out } = await run("requests --oldest");
    const shown = out.split("\n").slice(1, 4).map((line) => line.split(/ +/)[3]);
    assertEquals(shown, ["killed", "cut", "left"]);
    assertMatch((await run("requests --outcome cut --match og_c")).out, /^TIME.*\n.*log_cut.*\n$/);
  });
});

Deno.test("svc requests --follow shows requests as they end, until the gateway does", async () => {
  const closing = new AbortController();
  await withCli(async ({ admin, run }) => {
    const following = run("requests --follow --key key_a");
    const asJson = run("requests --follow --json");
    for (let round = 0; round < 20; round++) {
      // Rows logged before the tail was opened are not sent.
      await admin.deps.log.append({ ...ENDED, id: "log_a", keyId: "key_a", outcome: "ok" });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    closing.abort();
    const { code, out } = await following;
    assertEquals(code, 0);
    assertMatch(out, /^TIME +REQUEST +STATUS.*\n.*log_a +200 .*\n/);
    assertEquals(out.match(/TIME/g)?.length, 1);
    const [first = ""] = (await asJson).out.split("\n");
    assertEquals(JSON.parse(first).id, "log_a");
    const wrong = await run("requests --follow --limit 3");
    assertEquals([wrong.code, wrong.err.split("\n")[0]], [
      2,
      "--follow cannot be combined with --limit",
    ]);
  }, { closing: closing.signal });
});

Deno.test("svc keys link prints a link that works once, and fails for a key that does not serve", async () => {
  await withCli(async ({ run, json }) => {
    const { id } = await json("keys create --name app --wallet team");
    assertMatch(
      (await run(`keys link ${id}`)).out,
      /^http\S+\/me\/sign-in#svc_link_\w+\n\nIt signs in once/,
    );
    const { url, code } = await json(`keys link ${id}`);
    assertEquals(url.split("#")[1], code);
    await json(`keys disable ${id}`);
    const refused = await run(`keys link ${id}`);
    assertEquals(refused.code, 1);
    assertMatch(refused.err, /does not serve/);
  });
});

Deno.test("svc keys content-log switches on and off", async () => {
  await withCli(async ({ run, json }) => {
    const { id } = await json("keys create --name app --wallet team");
    assertEquals((await json(`keys content-log ${id} on`)).logContent, true);
    assertMatch((await run(`keys show ${id}`)).out, /content log +on\n/);
    assertEquals((await json(`keys content-log ${id} off`)).logContent, false);
    const { code, err } = await run(`keys content-log ${id} maybe`);
    assertEquals([code, err.split("\n")[0]], [2, 'Say "on" or "off", not "maybe"']);
  });
});
