import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withCli } from "../cli_test_support.ts";

const URL = "https://hooks.example.com/quiet";

Deno.test("svc notify adds, tests, lists and removes targets", async () => {
  await withCli(async ({ run, json, files }) => {
    assertStringIncludes((await run("notify targets")).out, "no operator is notified");
    assertStringIncludes((await run("notify test")).err, "svc notify add");
    const added = await json(
      `notify add slack ${URL} --name Ops --only wallet_low,upstream_down`,
    );
    assertEquals([added.place, added.secret], ["https://hooks.example.com", null]);
    const shown = await run(`notify add webhook ${URL} --name Web`);
    assertStringIncludes(shown.out, "whsec_");
    const mail = { host: "smtp.example.com", from: "a@example.com", to: ["b@example.com"] };
    files.set("mail.json", JSON.stringify({ ...mail, user: "svc", password: "quiet" }));
    assertEquals((await json("notify add email mail.json --name Mail")).kind, "email");
    const list = await run("notify targets", { columns: 200 });
    assertStringIncludes(list.out, "wallet_low, upstream_down");
    assert(!list.out.includes("quiet") && !list.out.includes("whsec_"));
    const tested = await run("notify test");
    assertEquals([tested.code, tested.out.match(/accepted/g)?.length], [0, 3]);
    assertStringIncludes((await run("notify test none")).err, 'no target "none"');
    assertEquals((await run(`notify remove ${added.id}`)).out, `Removed ${added.id}\n`);
    assertStringIncludes((await run("notify incidents")).out, "no incidents");
    assertStringIncludes((await run("notify deliveries --status dead")).out, "no deliveries");
    assertStringIncludes((await run("notify retry none")).err, 'no delivery "none"');
  });
});

Deno.test("svc notify says which tests failed", async () => {
  await withCli(async ({ run, admin }) => {
    await run(`notify add webhook ${URL} --name Web`);
    Object.assign(admin.deps.notices, {
      test: () => Promise.resolve({ ok: false, problem: "The receiver answered with status 500" }),
    });
    const { code, out, err } = await run("notify test");
    assertEquals([code, err], [1, "1 of 1 tests failed\n"]);
    assertStringIncludes(out, "The receiver answered with status 500");
  });
});

Deno.test("svc notify add refuses what is no target", async () => {
  await withCli(async ({ run }) => {
    assertEquals((await run(`notify add pager ${URL} --name A`)).code, 2);
    assertEquals((await run(`notify add webhook ${URL}`)).code, 2);
    const near = await run("notify add webhook https://10.0.0.1/ --name A");
    assertStringIncludes(near.err, "public address");
    const kind = await run(`notify add webhook ${URL} --name A --only wallet_lo`);
    assertStringIncludes(kind.err, "wallet_low");
  });
});
