import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { diffCatalog } from "../domain/catalog/diff.ts";
import { DEFAULT_LIMITS, limitsInForce } from "../domain/limits/service_limits.ts";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";

async function contentWith(limits?: unknown) {
  const names = { en: "Standard", zh: "标准" };
  const text = JSON.stringify({
    upstreams: [{ id: "lab", kind: "simulator" }],
    models: [{
      ...{ id: "a", upstream: "lab", quality: 0.5, contextTokens: 8_000 },
      price: { inputPerMTok: "1", outputPerMTok: "2" },
    }],
    tiers: [{
      ...{ id: "standard", creditsPerUsd: "1000", models: "*" },
      name: names,
      description: names,
    }],
    ...(limits === undefined ? {} : { limits }),
  });
  return (await parseConfig(text, { fileName: "svc.json", nowMs: 0 })).content;
}

Deno.test("parseConfig() takes the service's own limits, each with its default", async () => {
  assertEquals(limitsInForce(await contentWith()), DEFAULT_LIMITS);
  assertEquals((await contentWith({})).limits, DEFAULT_LIMITS);
  const given = { maxInFlight: 7, queueMs: 0, queueLength: 0, badKeysPerMinute: 0 };
  assertEquals((await contentWith(given)).limits, { ...DEFAULT_LIMITS, ...given });
  // A catalog that an older version stored does not have all of them.
  assertEquals(limitsInForce({ limits: { queueMs: 1 } }), { ...DEFAULT_LIMITS, queueMs: 1 });
});

for (
  const [limits, problem] of [
    [{ maxInFlight: 0 }, /^limits\.maxInFlight: /],
    [{ queueMs: 60_001 }, /^limits\.queueMs: /],
    [{ queueLength: -1 }, /^limits\.queueLength: /],
    [{ badKeysPerMinute: 1.5 }, /^limits\.badKeysPerMinute: /],
    [{ bodyMegabytes: 0 }, /^limits\.bodyMegabytes: /],
    [{ bodyMegabytesPerKey: 0.5 }, /^limits\.bodyMegabytesPerKey: /],
    [{ queueSize: 1 }, /Unknown name "queueSize"/],
  ] as const
) {
  Deno.test(`parseConfig() refuses ${JSON.stringify(limits)}`, async () => {
    const error = await assertRejects(() => contentWith(limits), ConfigError);
    assertMatch(error.problems[0] ?? "", problem);
  });
}

Deno.test("diffCatalog() shows a changed limit", async () => {
  const [none, some, other] = [
    await contentWith(),
    await contentWith({}),
    await contentWith({ queueMs: 5 }),
  ];
  assert(diffCatalog(none, some).some(({ path, kind }) => path === "limits" && kind === "added"));
  assertEquals(diffCatalog(some, other), [
    { path: "limits.queueMs", kind: "changed", before: DEFAULT_LIMITS.queueMs, after: 5 },
  ]);
});
