import { assert, assertEquals } from "@std/assert";
import { catalogOf, inputWith, modelWith } from "./route_fixture_test.ts";
import { route } from "./route.ts";
import type { TargetState } from "./plan.ts";

const BUSY: TargetState = { available: false, busy: true, reason: "is full", retryAfterMs: 1_000 };
const COOLING: TargetState = { available: false, reason: "is cooling down", retryAfterMs: 9_000 };

function planOf(states: Readonly<Record<string, TargetState>>) {
  const models = ["a", "b", "c"].map((id) => modelWith({ id, disabled: id === "c" }));
  const pool = new Map(Object.entries(states));
  return route(inputWith({ catalog: catalogOf(models), pool }));
}

function candidatesOf(plan: ReturnType<typeof planOf>): readonly string[] {
  assert(plan.ok, plan.ok ? "" : plan.message);
  const ids = plan.candidates.map(({ model }) => model.id);
  const known = [...ids, ...plan.exclusions.map(({ model }) => model)];
  assertEquals(known.toSorted(), ["a", "b", "c"], "each is a candidate or excluded, once");
  return ids.toSorted();
}

Deno.test("a busy model is left out where another is available", () => {
  const plan = planOf({ a: BUSY });
  assertEquals(candidatesOf(plan), ["b"]);
  const excluded = plan.exclusions.find(({ model }) => model === "a");
  assertEquals(excluded, { model: "a", stage: "available", reason: "is full" });
});

Deno.test("where all that could serve are busy, they are what the request waits for", () => {
  assertEquals(candidatesOf(planOf({ a: BUSY, b: BUSY })), ["a", "b"]);
  assertEquals(candidatesOf(planOf({ a: BUSY, b: COOLING })), ["a"]);
});

Deno.test("a model that was disabled is not waited for, busy or not", () => {
  const plan = planOf({ a: COOLING, b: COOLING, c: BUSY });
  assert(!plan.ok);
  assertEquals([plan.code, plan.retryAfterMs], ["no_model_available", 9_000]);
});
