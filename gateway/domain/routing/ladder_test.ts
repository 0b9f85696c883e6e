import { assert, assertEquals } from "@std/assert";
import { Additions } from "../learning/additions.ts";
import { snapshotOf } from "../learning/statistics_fixture_test.ts";
import type { Ladder, RoutingInput } from "./plan.ts";
import { route } from "./route.ts";
import { catalogOf, featuresWith, inputWith, modelWith } from "./route_fixture_test.ts";

const price = (inputPerMTok: string, outputPerMTok: string) => ({
  price: { inputPerMTok, outputPerMTok, currency: "USD" as const },
});

const CATALOG = catalogOf([
  modelWith({ id: "large", quality: 0.9, ...price("10", "100") }),
  modelWith({ id: "a", quality: 0.7, ...price("1", "10") }),
  modelWith({ id: "b", quality: 0.65, ...price("1", "10") }),
  modelWith({ id: "c", quality: 0.6, upstream: "cloud", ...price("1", "10") }),
]);

const COMPARABLE = featuresWith({ comparable: "short", difficulty: 0.25 });
const REQUESTED = { choice: { verify: true } };

function ladderOf(changes: Partial<RoutingInput>): Ladder | undefined {
  const plan = route(inputWith({ catalog: CATALOG, features: COMPARABLE, task: "t", ...changes }));
  assert(plan.ok);
  assertEquals(plan.basis.kind === "verified", plan.ladder !== undefined);
  return plan.ladder;
}

function namesOf(ladder: Ladder | undefined) {
  return ladder &&
    [...ladder.cheap.map(({ model }) => model.id), ladder.better.model.id].join();
}

/** Returns a snapshot of audits in which `b` and `c` always give the answer of `large`. */
function audited(count: number) {
  const additions = new Additions();
  for (let at = 0; at < count; at++) {
    const answers = [
      { model: "large", group: 0, cost: 10 },
      { model: "a", group: 1, cost: 1 },
      { model: "b", group: 0, cost: 1 },
      { model: "c", group: 0, cost: 1 },
    ];
    additions.noteAudit("w", { task: "t", load: 1, answers }, at);
  }
  return snapshotOf(additions);
}

Deno.test("a request for verified answers gets a default pair of two providers", () => {
  const ladder = ladderOf(REQUESTED);
  assertEquals([namesOf(ladder), ladder?.audits], ["a,c,large", 0]);
});

Deno.test("answers are verified neither unasked nor where they do not compare", () => {
  assertEquals(ladderOf({}), undefined);
  const features = featuresWith({ difficulty: 0.25 });
  assertEquals(ladderOf({ ...REQUESTED, features }), undefined);
  assertEquals(ladderOf({ ...REQUESTED, features: { ...COMPARABLE, choices: 2 } }), undefined);
  assertEquals(ladderOf({ ...REQUESTED, policy: { auto: { verify: "off" } } }), undefined);
});

Deno.test("fewer than three models that can serve verify nothing", () => {
  assertEquals(ladderOf({ ...REQUESTED, policy: { models: ["large", "a"] } }), undefined);
  // Cheap models cost at most half as much as the better one.
  assertEquals(ladderOf({ ...REQUESTED, policy: { models: ["a", "b", "c"] } }), undefined);
});

Deno.test("the audited record chooses the pair", () => {
  const ladder = ladderOf({ ...REQUESTED, snapshot: audited(60) });
  assertEquals([namesOf(ladder), ladder?.audits], ["b,c,large", 60]);
});

Deno.test("a ladder uses allowed models only, and the mode auto needs a record", () => {
  const snapshot = audited(60);
  const policy = { models: ["large", "a", "b"] };
  assertEquals(namesOf(ladderOf({ ...REQUESTED, snapshot, policy })), "a,b,large");
  const auto = { policy: { auto: { verify: "auto", dial: 0.9 } as const } };
  assertEquals(ladderOf(auto), undefined);
  assertEquals(ladderOf({ ...auto, snapshot: audited(4) }), undefined);
  assertEquals(namesOf(ladderOf({ ...auto, snapshot })), "b,c,large");
});

Deno.test("the mode auto verifies nothing where one model has a higher value", () => {
  const snapshot = audited(60);
  const at = (dial: number) => ({ policy: { auto: { verify: "auto", dial } as const }, snapshot });
  assertEquals([ladderOf(at(1)), ladderOf(at(0))], [undefined, undefined]);
});
