import { assertEquals } from "@std/assert";
import { changesText } from "./catalog_changes.ts";

const CHANGES: Parameters<typeof changesText>[0] = {
  version: 3,
  changes: [
    { path: "models.old", kind: "removed", before: { id: "old", quality: 0.5 } },
    {
      path: "models.new",
      kind: "added",
      after: {
        id: "new",
        endpoints: ["chat", "responses"],
        price: { inputPerMTok: "0.1", outputPerMTok: "0.5" },
        description: { en: "Small" },
      },
    },
    { path: "models.kept.quality", kind: "changed", before: 0.5, after: 0.6 },
    { path: "tiers.odd\u202e.name", kind: "changed", before: "a\u202e", after: "b" },
    { path: "limits.queueMs", kind: "added", after: 7 },
  ],
};

Deno.test("changesText() names what is gone, and tells what is new field by field", () => {
  assertEquals(
    changesText(CHANGES, { width: Infinity }),
    `- models.old
+ models.new
    endpoints chat, responses; price inputPerMTok 0.1, outputPerMTok 0.5; description en Small
~ models.kept.quality: 0.5 -> 0.6
~ tiers.odd?.name: "a?" -> "b"
+ limits.queueMs: 7
`,
  );
  assertEquals(
    changesText({ ...CHANGES, changes: [] }, { width: 80 }),
    "No changes to version 3\n",
  );
});

Deno.test("changesText() keeps to the width of the terminal", () => {
  const lines = changesText(CHANGES, { width: 40 }).split("\n");
  assertEquals(lines.slice(1, 5), [
    "+ models.new",
    "    endpoints chat, responses; price",
    "    inputPerMTok 0.1, outputPerMTok",
    "    0.5; description en Small",
  ]);
});
