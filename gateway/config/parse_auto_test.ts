import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";
import { simulatorCatalog } from "./simulator_catalog.ts";

type Json = Record<string, unknown>;

const TIER = { ...simulatorCatalog().tiers[0] };

function parse(changes: Json) {
  const text = JSON.stringify({ ...simulatorCatalog(), ...changes });
  return parseConfig(text, { fileName: "svc.json" });
}

const FORMER: readonly (readonly [string, Json, Json | undefined, RegExp])[] = [
  [
    "the former default weights",
    { quality: 0.6, price: 0.3, latency: 0.1 },
    { dial: 0.5 },
    /"balanced"/,
  ],
  [
    "weights that prefer price",
    { quality: 1, price: 1, latency: 0 },
    { dial: 0.33 },
    /"dial": 0\.33/,
  ],
  ["a weight of quality only", { quality: 1, price: 0, latency: 0 }, { dial: 1 }, /"best"/],
  ["a weight of price only", { quality: 0, price: 1, latency: 0 }, { dial: 0 }, /"economy"/],
];

for (const [name, scoring, auto, notice] of FORMER) {
  Deno.test(`parseConfig() reads ${name} as a dial and says so`, async () => {
    const { content, notices } = await parse({ scoring });
    assertEquals([content.auto, notices.length], [auto, 1]);
    assertMatch(notices[0] ?? "", notice);
    assertMatch(notices[0] ?? "", /svc\.json .*: write "auto": \{"dial": \S+\} instead$/);
  });
}

Deno.test("parseConfig() prefers a dial to former weights, and says so", async () => {
  const scoring = { quality: 1, price: 1, latency: 0 };
  const { content, notices } = await parse({ scoring, auto: { dial: 0.9 } });
  assertEquals(content.auto, { dial: 0.9 });
  assertMatch(notices.join(), /no effect beside "auto\.dial"/);
  assertEquals((await parse({ auto: { dial: 0.9 } })).notices, []);
});

const PROBLEMS: readonly (readonly [string, Json, RegExp])[] = [
  [
    "no weights",
    { scoring: { quality: 0, price: 0, latency: 0 } },
    /^scoring: At least one weight/,
  ],
  [
    "a dial above 1",
    { auto: { dial: 1.5 } },
    /^auto\.dial: Write a number from 0 to 1, or economy/,
  ],
  ["an unknown dial", { tiers: [{ ...TIER, dial: "cheap" }] }, /^tiers\.0\.dial: Write a number/],
  ["too much exploration", { auto: { exploration: 0.06 } }, /^auto\.exploration: .* 0 to 0\.05$/],
  [
    "too many audits",
    { auto: { audits: { share: 0.1, dailyBudget: "1", wallet: "w" } } },
    /^auto\.audits\.share: .* 0 to 0\.05$/,
  ],
];

for (const [name, changes, expected] of PROBLEMS) {
  Deno.test(`parseConfig() refuses ${name}`, async () => {
    const { problems } = await assertRejects(() => parse(changes), ConfigError);
    assertEquals(problems.length, 1, problems.join("\n"));
    assertMatch(problems[0] ?? "", expected);
  });
}
