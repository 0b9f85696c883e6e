import { assertEquals, assertStrictEquals } from "@std/assert";
import { bill } from "../scripted_service_test.ts";
import { combined } from "./combined.ts";

const first = {
  text: "a",
  usage: { tokens: 1 },
  metadata: { request_id: "1", billing: bill("0.1") },
};
const last = {
  text: "b",
  usage: { tokens: 2 },
  metadata: { request_id: "2", billing: bill("0.2") },
};

Deno.test("turns come to the last one, with the usage and the bill of all", () => {
  assertEquals(combined([first, first, last]), {
    ...last,
    usage: { tokens: 4 },
    metadata: { request_id: "2", billing: bill("0.400000", 30, 15) },
  });
});

Deno.test("one turn is itself", () => {
  assertStrictEquals(combined([first]), first);
});

Deno.test("a member of some turns is not lost, and a member of none is not invented", () => {
  const { text } = last;
  assertEquals<object>(combined<object>([first, { text, usage: null }]), {
    ...{ text, usage: first.usage, metadata: { billing: first.metadata.billing } },
  });
  assertEquals<object>(combined<object>([{ text: "a" }, { text, usage: null }]), {
    ...{ text, usage: null },
  });
});
