import { assertEquals } from "@std/assert";
import { areSurelyEqual, comparedResult, judgedResult } from "./audit_result.ts";
import { ladderPlans } from "./ladder_plans.ts";

const content = (text: string) => ({ text, calls: [] });
const answer = (model: string, text: string | undefined) => ({
  ...{ model, cost: 1 },
  content: text === undefined ? undefined : content(text),
});

Deno.test("comparedResult() scores answers by their equality with the first", () => {
  const answers = [
    answer("best", "Lima"),
    answer("a", "lima."),
    answer("b", "Cusco"),
    answer("c", "cusco"),
    answer("d", undefined),
  ];
  const { answers: grouped, outcomes } = comparedResult(answers, "short");
  assertEquals(grouped.map(({ group }) => group), [0, 0, 1, 1, 2]);
  assertEquals(outcomes.map(({ score, weight }) => [score, weight]), [
    ...[[1, 1], [1, 1], [0, 1], [0, 1], [0, 1]],
  ]);
});

Deno.test("judgedResult() never counts a verdict as certain, for no model", () => {
  const judged = { cost: 1, content: undefined, judged: true };
  const { answers, outcomes } = judgedResult({ model: "best", cost: 9 }, [
    { ...judged, model: "a", isEqual: true },
    { ...judged, model: "b", isEqual: false },
    { ...judged, model: "c", isEqual: false },
    { ...judged, model: "d", isEqual: true, judged: false },
  ]);
  assertEquals(answers.map(({ group, judged = false }) => [group, judged]), [
    ...[[0, false], [0, true], [2, true], [3, true], [0, false]],
  ]);
  assertEquals(outcomes.map(({ score, weight }) => [score, weight]), [
    ...[[0.9, 0.5], [0.9, 0.5], [0.1, 0.5], [0.1, 0.5], [1, 1]],
  ]);
});

Deno.test("areSurelyEqual() compares free texts and calls, and no empty answer", () => {
  assertEquals(areSurelyEqual(content("The moon."), content("the  moon")), true);
  assertEquals(areSurelyEqual(content("The moon."), content("The sun.")), false);
  assertEquals(areSurelyEqual(content(""), content("")), false);
  const call = (text: string) => ({ text: "", calls: [{ name: "save", arguments: text }] });
  assertEquals(areSurelyEqual(call('{"a":1}'), call('{ "a": 1 }')), true);
  assertEquals(areSurelyEqual(call("{}"), content("{}")), false);
});

Deno.test("ladderPlans() does not rest on judged audits", () => {
  const { answers } = judgedResult(
    { model: "best", cost: 9 },
    ["a", "b"].map((model) => ({
      ...{ model, cost: 1, content: undefined, isEqual: true, judged: true },
    })),
  );
  const audits = Array(50).fill({ task: "t", load: 1, answers });
  assertEquals(ladderPlans({ audits }), {});
});
