import { assert, assertEquals } from "@std/assert";
import { difficultyByLabel, evaluateRouting } from "./routing_eval.ts";

Deno.test("the router is worth more than any single model", () => {
  const [router, ...others] = evaluateRouting();
  assertEquals(router?.name, "router");
  for (const other of others) assert((router?.value ?? 0) > other.value + 0.02, other.name);
});

Deno.test("the router answers nearly as well as the best for much less", () => {
  const outcomes = new Map(evaluateRouting().map((one) => [one.name, one]));
  const [router, best] = [outcomes.get("router"), outcomes.get("always best")];
  assert(router !== undefined && best !== undefined);
  assert(router.adequate >= 0.85 * best.adequate, `${router.adequate}`);
  assert(router.dollars <= 0.7 * best.dollars, `${router.dollars}`);
});

Deno.test("harder prompts are seen to be harder", () => {
  const means = difficultyByLabel();
  const [easy = 1, medium = 1, hard = 0] = ["easy", "medium", "hard"].map((name) =>
    means.get(name)
  );
  assert(easy < medium - 0.02 && medium < hard - 0.02, `${easy} ${medium} ${hard}`);
});
