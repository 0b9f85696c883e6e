import { assertEquals } from "@std/assert";
import { BoundedNames } from "./named_sums.ts";

const DAY_MS = 86_400_000;

Deno.test("BoundedNames counts names beyond the maximum of a day as one", () => {
  const names = new BoundedNames({ aDay: 2, inAll: 3 });
  const groups = (atMs: number, ...wanted: (string | undefined)[]) =>
    wanted.map((name) => {
      const { kind, name: shown } = names.groupOf(name, atMs);
      return kind === "named" ? shown : `(${kind})`;
    });
  assertEquals(groups(0, "a", "b", "c", "a", undefined), ["a", "b", "(other)", "a", "(none)"]);
  assertEquals(groups(DAY_MS, "c", "a"), ["c", "a"]);
  assertEquals(groups(0, "d"), ["(other)"], "an entry before the last day");
  assertEquals(groups(5 * DAY_MS, "d", "c"), ["(other)", "c"], "the maximum in all");
});

Deno.test("BoundedNames keeps a name `other` apart from the others", () => {
  const names = new BoundedNames({ aDay: 1, inAll: 1 });
  assertEquals(names.groupOf("other", 0), { name: "other", kind: "named" });
  assertEquals(names.groupOf("a", 0), { name: "other", kind: "other" });
});
