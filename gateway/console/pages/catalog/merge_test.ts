import { assertEquals } from "@std/assert";
import { mergeEdits } from "./merge.ts";

const BASE = {
  models: [{ id: "a", price: { in: "1", out: "2" } }, { id: "b", price: { in: "3" } }],
  tiers: [{ id: "low", models: ["a"] }],
};

Deno.test("edits of different fields both stand", () => {
  const mine = { ...BASE, models: [{ id: "a", price: { in: "9", out: "2" } }, BASE.models[1]] };
  const theirs = {
    ...BASE,
    models: [{ id: "a", price: { out: "8", in: "1" } }, BASE.models[1], { id: "c" }],
  };
  assertEquals(mergeEdits(BASE, mine, theirs), {
    value: {
      ...BASE,
      models: [{ id: "a", price: { in: "9", out: "8" } }, BASE.models[1], { id: "c" }],
    },
    conflicts: [],
  });
});

Deno.test("an entry that one side removed and the other left unchanged is removed", () => {
  const mine = { ...BASE, models: BASE.models.slice(1) };
  const theirs = { ...BASE, tiers: [{ id: "low", models: ["a", "b"] }] };
  assertEquals(mergeEdits(BASE, mine, theirs).value, { models: mine.models, tiers: theirs.tiers });
  assertEquals(mergeEdits(BASE, theirs, mine).value, { models: mine.models, tiers: theirs.tiers });
});

Deno.test("a value that both sides changed is taken from the edit at hand, and named", () => {
  const mine = { ...BASE, models: [{ id: "a", price: { in: "5", out: "2" } }, BASE.models[1]] };
  const theirs = { ...BASE, models: [{ id: "a", price: { in: "6", out: "2" } }, BASE.models[1]] };
  assertEquals(mergeEdits(BASE, mine, theirs), {
    value: mine,
    conflicts: ["models.a.price.in"],
  });
  const gone = { ...BASE, models: BASE.models.slice(1) };
  assertEquals(mergeEdits(BASE, mine, gone).conflicts, ["models.a"]);
  assertEquals(mergeEdits(BASE, gone, mine).value, gone);
});

Deno.test("lists without ids are values, and names of the language are names", () => {
  const low = (models: string[]) => ({ tiers: [{ id: "low", models }] });
  assertEquals(mergeEdits(low(["a"]), low(["a", "b"]), low(["c"])).conflicts, ["tiers.low.models"]);
  const odd = { models: [{ id: "__proto__", x: 1 }, { id: "constructor", x: 1 }] };
  assertEquals(mergeEdits({ models: [] }, odd, { models: [{ id: "d" }] }).value, {
    models: [...odd.models, { id: "d" }],
  });
});

Deno.test("the side that changed the order of tiers decides it; a conflict of orders is reported", () => {
  const tiers = (ids: string, more: object = {}) => ({
    tiers: [...ids].map((id) => id === "a" ? { id, ...more } : { id }),
  });
  const cheaper = { rate: "1" };
  const cases = [
    ["abc", "cab", "cab", []],
    ["acb", "abc", "acb", []],
    ["axbc", "abcy", "axbcy", []],
    ["abcx", "cab", "abcx", ["tiers"]],
    ["abcx", "ab", "abx", []],
  ] as const;
  for (const [mine, theirs, value, conflicts] of cases) {
    const merged = mergeEdits(tiers("abc"), tiers(mine, cheaper), tiers(theirs, { name: "A" }));
    assertEquals(merged, { value: tiers(value, { ...cheaper, name: "A" }), conflicts }, mine);
  }
});

Deno.test("a key that one wrote does not go to the address that the other chose", () => {
  const lab = { id: "lab", baseUrl: "http://a", apiKey: "(hidden)", maxInFlight: 1 };
  const list = (more: object) => ({ upstreams: [{ ...lab, ...more }] });
  const keyed = list({ apiKey: "new" });
  const moved = list({ baseUrl: "http://b", maxInFlight: 2 });
  assertEquals(mergeEdits(list({}), keyed, moved), {
    value: keyed,
    conflicts: ["upstreams.lab"],
  });
  assertEquals(mergeEdits(list({}), list({ maxInFlight: 3 }), list({ baseUrl: "http://b" })), {
    value: list({ baseUrl: "http://b", maxInFlight: 3 }),
    conflicts: [],
  });
});
