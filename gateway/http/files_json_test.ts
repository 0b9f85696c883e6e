import { assertEquals, assertThrows } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { createSystemRng } from "../system/rng.ts";
import { pageJson } from "./files_json.ts";

let nowMs = 1_000;
const rng = createSystemRng({ nowMs: () => nowMs++, monotonicMs: () => 0 });

function itemsOf(prefix: string, object: string): { id: string; object: string }[] {
  return Array.from({ length: 6 }, () => ({ id: rng.id(prefix), object }));
}

for (const order of ["asc", "desc"] as const) {
  for (const [prefix, object] of [["file", "file"], ["vs", "vector_store"]] as const) {
    Deno.test(`a list of ${object} that is deleted page by page goes on, ${order}`, () => {
      let items = itemsOf(prefix, object);
      const all = order === "asc" ? items : items.toReversed();
      const seen: { id: string }[] = [];
      let after: string | undefined;
      do {
        const page = pageJson(items, { limit: "2", order, after });
        seen.push(...page.data);
        items = items.filter((item) => !page.data.includes(item));
        after = page.has_more ? page.last_id ?? undefined : undefined;
      } while (after !== undefined);
      assertEquals(seen, all);
    });
  }
}

Deno.test("a deleted id ends a page too, and the last page of an emptied list is empty", () => {
  const items = itemsOf("file", "file");
  const [first, second, third] = items;
  const remaining = items.filter((item) => item !== third);
  assertEquals(
    pageJson(remaining, { limit: "10", order: "asc", before: third?.id }).data,
    [first, second],
  );
  const page = pageJson([], { limit: "10", order: "asc", after: third?.id ?? "" });
  assertEquals([page.data, page.has_more], [[], false]);
});

Deno.test("an id that tells no place is refused", () => {
  const files = itemsOf("file", "file");
  const added = itemsOf("file", "vector_store.file");
  const [store] = itemsOf("vs", "vector_store");
  for (
    const [items, after] of [
      ...[[files, "file_x"], [files, store?.id ?? ""]] as const,
      // In the order in which they were added, which is not that of their ids.
      [added.slice(1), added[0]?.id ?? ""] as const,
    ]
  ) {
    const fault = assertThrows(
      () => pageJson(items, { limit: "10", order: "desc", after }),
      ServiceFault,
    );
    assertEquals([fault.code, fault.param], ["invalid_request", "after"]);
  }
});
