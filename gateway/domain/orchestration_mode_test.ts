import { assertEquals } from "@std/assert";
import { orchestrationFor } from "./orchestration_mode.ts";

const auto = { orchestration: "auto" } as const;
const off = { orchestration: "off" } as const;
const always = { orchestration: "always" } as const;

Deno.test("the tier can forbid it, and decides where the policy says nothing", () => {
  const policy = { orchestration: { mode: "always", stream: "final" } } as const;
  assertEquals(orchestrationFor({ policy, tier: off }), { mode: "off", stream: "final" });
  assertEquals(orchestrationFor({ policy, tier: auto }), { mode: "always", stream: "final" });
  assertEquals(orchestrationFor({ policy: {}, tier: auto }), { mode: "auto", stream: "all" });
  assertEquals(orchestrationFor({ policy: {}, tier: always }), { mode: "always", stream: "all" });
});

Deno.test("the policy can forbid it", () => {
  const policy = { orchestration: { mode: "off", stream: "all" } } as const;
  for (const choice of [undefined, "all", "final"] as const) {
    assertEquals(orchestrationFor({ policy, tier: always, choice }).mode, "off");
  }
});

Deno.test("the caller chooses the stream, or none of it", () => {
  const policy = { orchestration: { mode: "auto", stream: "final" } } as const;
  const chosen = (choice: "off" | "final" | "all") =>
    orchestrationFor({ policy, tier: auto, choice });
  assertEquals(chosen("off").mode, "off");
  assertEquals(chosen("all"), { mode: "auto", stream: "all" });
  assertEquals(chosen("final"), { mode: "auto", stream: "final" });
});
