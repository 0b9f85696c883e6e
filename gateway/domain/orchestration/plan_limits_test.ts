import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { resultTokens, withinLimit } from "./plan_limits.ts";
import { route } from "../routing/route.ts";
import type { Candidate } from "../routing/plan.ts";
import { catalogOf, inputWith, modelWith } from "../routing/route_fixture_test.ts";
import { likelyTextTokens } from "../requests/token_estimate.ts";

const { features } = inputWith({ catalog: catalogOf([]) });

function candidatesOf(...contexts: readonly number[]): readonly Candidate[] {
  const models = contexts.map((contextTokens, at) =>
    modelWith({ id: `m${at}`, maxOutputTokens: 4_096, contextTokens })
  );
  const plan = route(inputWith({ catalog: catalogOf(models) }));
  assert(plan.ok);
  return plan.candidates;
}

Deno.test("resultTokens() is the usual output of a part where there is room for it", () => {
  assertEquals(resultTokens(candidatesOf(100_000), { features, tasks: 6 }), 4_096);
});

Deno.test("resultTokens() shares what the longest context has left of the request and the answer", () => {
  const candidates = candidatesOf(6_000, 16_000);
  const three = resultTokens(candidates, { features, tasks: 3 }) ?? 0;
  const six = resultTokens(candidates, { features, tasks: 6 }) ?? 0;
  assert(three > 256 && three < 16_000 / 3 / 1.5, `${three}`);
  assert(Math.abs(three - 2 * six) <= 1, `${three} ${six}`);
  const asking = { ...features, requestedOutputTokens: 10_000 };
  const beside = resultTokens(candidates, { features: asking, tasks: 3 }) ?? 0;
  assert(beside < three, `${beside}`);
});

Deno.test("resultTokens() is nothing where no context has room for results", () => {
  assertEquals(resultTokens(candidatesOf(3_000), { features, tasks: 3 }), undefined);
  const long = { ...features, textChars: 60_000, textBytes: 60_000, denseChars: 0 };
  assertEquals(resultTokens(candidatesOf(16_000), { features: long, tasks: 3 }), undefined);
});

Deno.test("withinLimit() leaves what keeps to its limit, and cuts what does not", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 2_000 }),
      fc.integer({ min: 1, max: 1_000 }),
      (text, tokens) => {
        const result = withinLimit(text, tokens);
        assert(text.startsWith(result));
        assert(
          likelyTextTokens(result) <= 1.5 * tokens,
          `${likelyTextTokens(result)} of ${tokens}`,
        );
        if (likelyTextTokens(text) <= 1.5 * tokens) assertEquals(result, text);
        assertEquals(result.isWellFormed(), text.isWellFormed());
      },
    ),
  );
  // A dense end is cut as well as a plain one.
  assert(withinLimit("plain words ".repeat(100) + "{}".repeat(1_000), 300).length > 1_000);
  assertEquals(withinLimit("", 1), "");
});
