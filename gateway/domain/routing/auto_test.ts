import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { type AutoChoice, choiceDenial, dialFor, parseAutoChoice, sourcesOf } from "./auto.ts";

const CHOICES: readonly (readonly [string, AutoChoice])[] = [
  ["quality=0.8", { dial: 0.8 }],
  ["quality=best", { dial: 1 }],
  [" quality = economy , verify ", { dial: 0, verify: true }],
  ["verify", { verify: true }],
];

for (const [header, choice] of CHOICES) {
  Deno.test(`parseAutoChoice() reads "${header}"`, () => {
    assertEquals(parseAutoChoice(header), { ok: true, choice });
  });
}

const MALFORMED = [
  ...["", ",", "verify,", "quality", "quality=", "quality=2", "quality=-1", "quality=0.5=1"],
  ...["Verify", "verify=true", "verify=", "speed=1", "quality:0.5", "quality=0.5;verify"],
  ...["quality=0.1,quality=1", "quality=1, quality=1", "verify, verify"],
];

for (const header of MALFORMED) {
  Deno.test(`parseAutoChoice() refuses "${header}"`, () => {
    const parsed = parseAutoChoice(header);
    assert(!parsed.ok);
    assertMatch(parsed.reason, /^X-Auto cannot be ".*": it takes "quality=0\.8"/);
  });
}

Deno.test("parseAutoChoice() names at most 80 characters of a malformed item", () => {
  fc.assert(fc.property(fc.string({ minLength: 1, maxLength: 5_000 }), (header) => {
    const parsed = parseAutoChoice(`x${header}`);
    assert(!parsed.ok && parsed.reason.length < 220);
  }));
});

Deno.test("choiceDenial() lets a request set the dial only up to the policy's maximum", () => {
  const denial = (maxDial: number | undefined, dial: number) =>
    choiceDenial({ auto: { maxDial } }, { dial });
  assertEquals([denial(undefined, 1), choiceDenial({}, { dial: 1 })], [undefined, undefined]);
  assertMatch(denial(0.5, 0.51) ?? "", /at most 0\.5$/);
  assertEquals([denial(0.5, 0.5), denial(1, 1), denial(0, 0)], [undefined, undefined, undefined]);
});

Deno.test("choiceDenial() refuses verified answers only where the policy has them off", () => {
  const denial = (verify: "off" | "request" | "auto" | undefined) =>
    choiceDenial({ auto: { verify } }, { verify: true });
  assertMatch(denial("off") ?? "", /does not allow verified answers/);
  assertEquals([denial("request"), denial("auto"), denial(undefined)], Array(3).fill(undefined));
  assertEquals(choiceDenial({ auto: { verify: "off" } }, {}), undefined);
});

Deno.test("dialFor() prefers request, key, tier, catalog, then balanced", () => {
  const all = {
    choice: { dial: 0.1 },
    policy: { auto: { dial: 0.2 } },
    tier: { dial: 0.3 },
    settings: { dial: 0.4 },
  };
  assertEquals(dialFor(all), 0.1);
  assertEquals(dialFor({ ...all, choice: { verify: true } }), 0.2);
  assertEquals(dialFor({ ...all, choice: undefined, policy: {} }), 0.3);
  assertEquals(dialFor({ policy: { auto: {} }, tier: {}, settings: { dial: 0.4 } }), 0.4);
  assertEquals(dialFor({ policy: {}, tier: {} }), 0.5);
});

Deno.test("sourcesOf() is every source unless the catalog names some", () => {
  assertEquals(sourcesOf(undefined), ["feedback", "audit", "implicit"]);
  assertEquals(sourcesOf({ sources: [] }), []);
});
