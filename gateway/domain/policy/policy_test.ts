import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { type KeyPolicy, modelDenial, requestDenial, violationsOf } from "./policy.ts";
import { featuresWith, modelWith } from "../routing/route_fixture_test.ts";

const model = modelWith({ id: "a", featureTags: ["json"], industryPacks: ["law"] });

const DENIALS: readonly (readonly [string, KeyPolicy, RegExp | undefined])[] = [
  ["nothing", {}, undefined],
  ["its model", { models: ["b", "a"] }, undefined],
  ["other models", { models: ["b"] }, /not among the policy's models/],
  ["its provider", { providers: ["lab"] }, undefined],
  ["other providers", { providers: ["cloud"] }, /"lab"/],
  ["one of its tags", { featureTags: ["x", "json"] }, undefined],
  ["other tags", { featureTags: ["x", "y"] }, /\(x, y\)/],
  ["its pack", { industryPacks: ["law"] }, undefined],
  ["no pack at all", { industryPacks: [] }, /industry packs/],
];

for (const [name, policy, expected] of DENIALS) {
  Deno.test(`modelDenial() of a policy that lists ${name}`, () => {
    const denial = modelDenial(policy, { model, provider: "lab" });
    if (expected === undefined) assertEquals(denial, undefined);
    else assertMatch(denial ?? "", expected);
  });
}

Deno.test("requestDenial() looks at the endpoint, then at hosted tools", () => {
  const features = featuresWith({ hostedTools: ["web_search_preview", "file_search"] });
  assertEquals(requestDenial({}, features), undefined);
  assertEquals(
    requestDenial({ endpoints: ["chat"], hostedTools: features.hostedTools }, features),
    undefined,
  );
  assertMatch(requestDenial({ endpoints: [], hostedTools: [] }, features) ?? "", /endpoint "chat"/);
  assertMatch(
    requestDenial({ hostedTools: ["web_search_preview"] }, features) ?? "",
    /"file_search"/,
  );
});

const WIDENINGS: readonly (readonly [string, KeyPolicy, KeyPolicy, readonly string[]])[] = [
  [
    "the same",
    { models: ["a"], budget: { day: "1" } },
    { models: ["a"], budget: { day: "1" } },
    [],
  ],
  [
    "anything under no limit",
    { models: ["a"], requestsPerMinute: 9, expiresAt: "2027-01-01" },
    {},
    [],
  ],
  ["fewer", { models: ["a"], endpoints: [] }, { models: ["a", "b"], endpoints: ["chat"] }, []],
  ["more", { models: ["a", "c"] }, { models: ["a", "b"] }, ["models.1"]],
  ["a list left out", {}, { tiers: ["low"], hostedTools: [] }, ["tiers", "hostedTools"]],
  ["a lower cap", { maxChargePerRequest: "0.50" }, { maxChargePerRequest: "1" }, []],
  ["a higher cap", { maxChargePerRequest: "10" }, { maxChargePerRequest: "9.5" }, [
    "maxChargePerRequest",
  ]],
  ["a cap left out", {}, { maxChargePerRequest: "9" }, ["maxChargePerRequest"]],
  ["a cap that cannot be read", { maxChargePerRequest: "-" }, { maxChargePerRequest: "9" }, [
    "maxChargePerRequest",
  ]],
  ["budgets", { budget: { day: "2", total: "1" } }, {
    budget: { day: "1", month: "5", total: "1" },
  }, [
    "budget.day",
    "budget.month",
  ]],
  ["rates", { requestsPerMinute: 2, tokensPerMinute: 1 }, {
    requestsPerMinute: 1,
    tokensPerMinute: 1,
    concurrentRequests: 1,
  }, ["requestsPerMinute", "concurrentRequests"]],
  ["ranges inside", { ipRanges: ["10.1.0.0/16", "::1"] }, { ipRanges: ["10.0.0.0/8", "::/0"] }, []],
  ["ranges outside", { ipRanges: ["10.1.0.0/16", "0.0.0.0/0"] }, { ipRanges: ["10.0.0.0/8"] }, [
    "ipRanges.1",
  ]],
  ["ranges left out", {}, { ipRanges: [] }, ["ipRanges"]],
  ["an earlier end", { expiresAt: "2026-12-31T23:00:00+01:00" }, {
    expiresAt: "2027-01-01T00:00:00Z",
  }, []],
  ["a later end", { expiresAt: "2027-01-02" }, { expiresAt: "2027-01-01" }, ["expiresAt"]],
  ["an end left out", {}, { expiresAt: "2027-01-01" }, ["expiresAt"]],
  ["orchestration", { orchestration: { mode: "always", stream: "all" } }, {
    orchestration: { mode: "off", stream: "final" },
  }, ["orchestration.mode", "orchestration.stream"]],
  ["orchestration beyond the default", { orchestration: { mode: "always", stream: "all" } }, {}, [
    "orchestration.mode",
  ]],
  [
    "a wider choice of models",
    {
      auto: { maxDial: 0.6, qualityFloor: 0.1, verify: "auto", audits: true },
    },
    { auto: { maxDial: 0.5, qualityFloor: 0.2 } },
    [
      ...["auto.maxDial", "auto.qualityFloor", "auto.verify", "auto.audits"],
    ],
  ],
  ["the default choice", {}, { auto: { maxDial: 0.5, verify: "off" } }, [
    ...["auto.maxDial", "auto.verify"],
  ]],
  [
    "another dial, and a narrower choice",
    {
      auto: { dial: 1, maxDial: 0.5, qualityFloor: 0.3, verify: "off" },
    },
    { auto: { dial: 0, maxDial: 1, qualityFloor: 0.2, audits: true } },
    [],
  ],
  ["a wallet that is shown again", { wallet: "shown" }, { wallet: "hidden" }, ["wallet"]],
  ["a wallet's sight left out", {}, { wallet: "hidden" }, ["wallet"]],
  ["a wallet that is hidden now", { wallet: "hidden" }, { wallet: "shown" }, []],
  [
    "budgets of names that were added and lowered",
    { budgets: [{ tag: "a=b", day: "1" }, { user: "ann", day: "4", month: "9" }] },
    { budgets: [{ user: "ann", day: "5" }] },
    [],
  ],
  [
    "a budget of a name that was raised, and one that was left out",
    { budgets: [{ user: "ben", day: "5" }, { tag: "a=b", day: "9" }, { user: "ann", day: "4" }] },
    { budgets: [{ tag: "a=b", day: "1" }, { user: "ann", total: "5" }, { tag: "ann", day: "1" }] },
    ["budgets.1.day", "budgets.2.total", "budgets"],
  ],
  [
    "fewer names demanded",
    { requiredTags: ["a"] },
    { requiredTags: ["a", "b"], requiredUser: true },
    ["requiredTags", "requiredUser"],
  ],
  ["more names demanded", { requiredTags: ["a", "b"], requiredUser: true }, {
    requiredTags: ["b"],
  }, []],
  ["less orchestration", { orchestration: { mode: "off", stream: "final" } }, {}, []],
];

for (const [name, candidate, original, paths] of WIDENINGS) {
  Deno.test(`violationsOf() for ${name}`, () => {
    assertEquals(violationsOf(candidate, original), paths);
  });
}

Deno.test("violationsOf() finds no violation of a policy by itself", () => {
  const words = fc.array(fc.string(), { maxLength: 3 });
  const policy: fc.Arbitrary<KeyPolicy> = fc.record({
    models: words,
    tiers: words,
    maxChargePerRequest: fc.nat().map(String),
    concurrentRequests: fc.nat(),
    ipRanges: fc.array(fc.ipV4(), { maxLength: 3 }),
  }, { requiredKeys: [] });
  fc.assert(fc.property(policy, (original) => assertEquals(violationsOf(original, original), [])));
});
