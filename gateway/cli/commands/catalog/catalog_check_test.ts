import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseConfig } from "../../../config/parse_config.ts";
import { assertFailed, withCli } from "../../cli_test_support.ts";
import { displayWidth } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";

const SOUND = {
  version: 1,
  ok: true,
  advice: null,
  models: [
    { id: "a", status: "ok", price: "list", priceEntry: "x/a", listed: true, notes: [] },
    { id: "b", status: "ok", price: "own", priceEntry: null, listed: null, notes: ["Not seen"] },
  ].map((model) => ({ ...model, problems: [] })),
};

const message = "The environment variable OPENROUTER_API_KEY is not set, or may not be read";
const WRONG = {
  ...SOUND,
  ok: false,
  advice: "2 of 3 models need attention: set OPENROUTER_API_KEY",
  models: ["openrouter/moonshotai/kimi-k3", "openrouter/z-ai/glm-5.3"].map((id) => ({
    id,
    status: "unreachable",
    price: "list",
    priceEntry: id,
    listed: false,
    problems: [{ kind: "unreachable", message }],
    notes: [],
  })),
};

const answer = (body: unknown) => () => Promise.resolve(Response.json(body));

Deno.test("svc catalog check shows each model, and what is worth knowing below", async () => {
  await withCli(async ({ run, json }) => {
    assertEquals(await run("catalog check", { fetch: answer(SOUND) }), {
      code: 0,
      out: "MODEL  STATUS  PRICE  LISTED   PRICED AS\n" +
        "a      ok      list   yes      x/a\n" +
        "b      ok      own    unknown\n" +
        "\nNot seen: b\n",
      err: "",
    });
    const body = await run("catalog check --timeout 2 --tolerance 10");
    assertEquals(body.code, 1, "the upstream of these tests lists other models");
    assertMatch(body.err, /^2 of 2 models need attention: replace or disable .*\n$/);
    const asJson = await run("catalog check --json");
    assertEquals([asJson.code, JSON.parse(asJson.out).ok], [1, false]);
    assertEquals((await json("catalog default --only cohere")).upstreams.length, 1);
  });
});

Deno.test("svc catalog check fits a terminal, counts there, and fails where something is wrong", async () => {
  await withCli(async ({ run }) => {
    const fetch = async () => {
      await Promise.resolve();
      return Response.json(WRONG);
    };
    const { code, out, err } = await run("catalog check", {
      fetch,
      isTerminal: true,
      progressColumns: 80,
    });
    assertEquals(code, 1);
    for (const line of out.split("\n")) assert(displayWidth(line) <= 80, line);
    assertStringIncludes(out, "openrouter/moonshotai/kimi-k3  unreachable");
    assertEquals(out.match(/OPENROUTER_API_KEY/g)?.length, 1, "each problem is reported once");
    assertEquals(
      err,
      "\rAsking the upstreams for their models ... 0 s\r\x1b[K" +
        "2 of 3 models need attention: set OPENROUTER_API_KEY\n",
    );
    // Standard error may be a file where standard output is a terminal.
    assertEquals(
      (await run("catalog check", { fetch, isTerminal: true })).err.includes("\r"),
      false,
    );
    const late = await run("catalog check --json", {
      fetch,
      isTerminal: true,
      progressColumns: 80,
    });
    assertEquals(late.err, `${WRONG.advice}\n`);
  });
});

Deno.test("svc catalog check refuses request limits together with a file", async () => {
  await withCli(async ({ run, files }) => {
    files.set("svc.json", "{}");
    const { code, err } = await run("catalog check -f svc.json --timeout 3");
    assertEquals(code, 2);
    assertMatch(err, /^--timeout does not go with --file\nUsage: svc catalog check/);
    const wrong = await run("catalog check --timeout never");
    assertEquals(wrong.code, 2);
    assertMatch(wrong.err, /^.*whole number from 1 to 60/);
  });
});

Deno.test("svc catalog default prints a configuration that can be applied", async () => {
  await withCli(async ({ run }) => {
    const { out } = await run("catalog default --only openai,cohere");
    const { content } = await parseConfig(out, { fileName: "svc.json" });
    assertEquals(content.upstreams.map(({ id }) => id), ["openai", "cohere"]);
    assertEquals(content.tiers.length, 3);
    assert(JSON.parse((await run("catalog default")).out).models.length > 28);
    assertFailed(
      await run("catalog default --only openia"),
      'There is no upstream "openia" in the default catalog: it has openai, anthropic, google, ' +
        "openrouter, deepseek, mistral, groq, xai, cohere",
    );
  });
});

Deno.test("wrapped() breaks at spaces, keeps long words, and lets no escape through", () => {
  assertEquals(wrapped("one two three", 8), "one two\n  three\n");
  assertEquals(wrapped("unbreakable word", 4), "unbreakable\n  word\n");
  assertEquals(wrapped("a\x1b[31mb c", Infinity), "a [31mb c\n");
});
