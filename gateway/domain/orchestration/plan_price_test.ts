import { assert, assertEquals } from "@std/assert";
import {
  expectedPrice,
  PART_OUTPUT_TOKENS,
  partOutputTokens,
  priceOfPlan,
  sumOf,
} from "./plan_price.ts";
import { route } from "../routing/route.ts";
import type { Candidate } from "../routing/plan.ts";
import { catalogOf, inputWith, modelWith } from "../routing/route_fixture_test.ts";

function candidatesOf(...prices: readonly string[]): readonly Candidate[] {
  const models = prices.map((outputPerMTok, at) =>
    modelWith({
      id: `m${at}`,
      maxOutputTokens: 10_000,
      contextTokens: 100_000,
      price: { inputPerMTok: "1", outputPerMTok, currency: "USD" },
    })
  );
  const plan = route(inputWith({ catalog: catalogOf(models) }));
  assert(plan.ok);
  return plan.candidates;
}

const task = (taskId: string, dependsOn: readonly string[] = []) => ({ taskId, dependsOn });

Deno.test("a part's output is bounded, by its model where that gives less", () => {
  const candidates = candidatesOf("2");
  const [best] = candidates;
  assert(best !== undefined);
  assertEquals(partOutputTokens(candidates), PART_OUTPUT_TOKENS);
  const short = { ...best, model: { ...best.model, maxOutputTokens: 500 } };
  assertEquals(partOutputTokens([short]), 500);
});

Deno.test("every part is priced at the dearest model, with the results that it reads", () => {
  const cheap = priceOfPlan(candidatesOf("2"), [task("a"), task("b", ["a"])]);
  const dear = priceOfPlan(candidatesOf("2", "20"), [task("a"), task("b", ["a"])]);
  const [a = 0n, b = 0n] = cheap.tasks.values();
  // 4 096 tokens of output at 2 000 micro-credits each.
  assert(a >= 8_192_000n, `${a}`);
  // One result more to read, held at four times its 1 000 micro-credits a token.
  assertEquals(b - a, BigInt(PART_OUTPUT_TOKENS) * 4_000n);
  assertEquals(cheap.final - cheap.plan, 2n * BigInt(PART_OUTPUT_TOKENS) * 4_000n);
  assert([...dear.tasks.values()].every((amount) => amount > 6n * a), `${[...dear.tasks]} ${a}`);
  assertEquals(sumOf(cheap), a + b + cheap.final);
});

Deno.test("the expected price covers a repaired plan, three tasks and the answer", () => {
  const candidates = candidatesOf("2");
  const price = priceOfPlan(candidates, [task("a"), task("b"), task("c")]);
  assertEquals(expectedPrice(candidates), 2n * price.plan + sumOf(price));
});
