import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertFailed, withCli } from "../../cli_test_support.ts";

Deno.test("svc keys preview says what a policy would leave, and makes nothing", async () => {
  await withCli(async ({ admin, files, run, json }) => {
    files.set("p.json", '{"models": ["fast-mini"], "endpoints": ["chat"], "hostedTools": []}');
    const { code, out, err } = await run("keys preview --wallet team --policy p.json");
    assertEquals([code, err], [0, ""]);
    assertMatch(
      out,
      /^tier +standard\nmodels +1 of 2\nendpoints +1 of 5\nhosted tools +none\n\nENDPOINT +MODELS +WHY\nchat +1\nresponses +0 +The key's policy does not allow/,
    );
    assertMatch(out, /\n\nMODEL +PROVIDER +ENDPOINTS +WHY\nfast-mini +lab +chat\n/);
    assertMatch(out, /\nslow-maxi +lab +not among the policy/);
    const open = await json("keys preview --wallet team");
    assertEquals([open.tier, open.models.length, open.wider], ["standard", 2, []]);
    assertEquals((await admin.get("/keys")).body.keys, []);
  });
});

Deno.test("svc keys preview fails where a policy would not narrow the key", async () => {
  await withCli(async ({ files, run, json }) => {
    files.set("ten.json", '{"requestsPerMinute": 10}');
    files.set("five.json", '{"requestsPerMinute": 5}');
    const { id } = await json("keys create --name app --wallet team --policy five.json");
    const wider = await run(`keys preview --narrows ${id} --policy ten.json`);
    assertEquals([wider.code, wider.err], [
      1,
      `This allows more than key "${id}": requestsPerMinute\n`,
    ]);
    assertStringIncludes(wider.out, "models");
    const program = await run(`keys preview --narrows ${id} --policy ten.json --json`);
    assertEquals([program.code, JSON.parse(program.out).wider], [1, ["requestsPerMinute"]]);
    assertEquals((await run(`keys preview --narrows ${id} --policy five.json`)).code, 0);
    assertEquals((await json(`keys show ${id}`)).policy, { requestsPerMinute: 5 });
  });
});

Deno.test("svc keys preview says what it cannot preview", async () => {
  await withCli(async ({ files, run }) => {
    files.set("old.json", '{"expiresAt": "2020-01-01T00:00:00Z"}');
    files.set("odd.json", '{"models": ["fast-mimi"]}');
    assertMatch(
      (await run("keys preview --wallet team --policy old.json")).out,
      /\nexpired +already: the key would never serve\n/,
    );
    for (const words of ["keys preview", "keys preview --wallet team --narrows key_1"]) {
      const { code, out, err } = await run(words);
      assertEquals([code, out], [2, ""], words);
      assertMatch(err, /^Give --wallet for a new key, or --narrows for an existing one\nUsage: /);
    }
    assertFailed(
      await run("keys preview --wallet tem"),
      'There is no wallet "tem"; the nearest is "team"',
    );
    assertFailed(await run("keys preview --narrows key_x"), 'There is no key "key_x"');
    const odd = await run("keys preview --wallet team --policy odd.json");
    assertEquals([odd.code, odd.out], [1, ""]);
    assertStringIncludes(odd.err, 'nearest is "fast-mini"');
    assertEquals((await run("keys preview --wallet team --policy none.json")).code, 1);
  });
});
