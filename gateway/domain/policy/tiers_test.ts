import { assert, assertEquals } from "@std/assert";
import { tierWith } from "../routing/route_fixture_test.ts";
import { effectiveTier, tierAllows } from "./tiers.ts";

const catalog = { tiers: ["low", "mid", "high"].map((id) => tierWith({ id })) };

const CASES: readonly (readonly [string, readonly string[] | undefined, string | undefined])[] = [
  ["mid", undefined, "mid"],
  ["mid", ["mid", "low"], "mid"],
  ["high", ["low", "mid"], "mid"],
  ["mid", ["low", "high"], "low"],
  ["mid", ["high"], undefined],
  ["mid", [], undefined],
  ["mid", ["gone"], undefined],
  ["gone", undefined, undefined],
  ["gone", ["low"], undefined],
];

for (const [wallet, tiers, expected] of CASES) {
  Deno.test(`effectiveTier() of a "${wallet}" wallet under ${tiers?.join() ?? "no list"}`, () => {
    const resolution = effectiveTier({ tiers }, wallet, catalog);
    assertEquals(resolution.ok ? resolution.tier.id : undefined, expected);
    if (!resolution.ok) assert(resolution.message.includes(`"${wallet}"`));
  });
}

Deno.test("tierAllows() all models, or those listed", () => {
  assert(tierAllows(tierWith({ id: "t" }), "any"));
  assert(tierAllows(tierWith({ id: "t", models: ["a"] }), "a"));
  assert(!tierAllows(tierWith({ id: "t", models: ["a"] }), "b"));
});
