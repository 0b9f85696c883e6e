import { assertEquals } from "@std/assert";
import { orchestrationFor } from "./orchestration_mode.ts";

const endpoint = "chat";
const auto = { orchestration: "auto" } as const;
const off = { orchestration: "off" } as const;
const always = { orchestration: "always" } as const;

Deno.test("the tier can forbid it, and decides where the policy says nothing", () => {
  const policy = { orchestration: { mode: "always", stream: "final" } } as const;
  assertEquals(orchestrationFor({ policy, tier: off, endpoint }), { mode: "off", stream: "final" });
  assertEquals(orchestrationFor({ policy, tier: auto, endpoint }), {
    mode: "always",
    stream: "final",
  });
  assertEquals(orchestrationFor({ policy: {}, tier: auto, endpoint }), {
    mode: "auto",
    stream: "all",
  });
  assertEquals(orchestrationFor({ policy: {}, tier: always, endpoint }), {
    mode: "always",
    stream: "all",
  });
});

Deno.test("the policy can forbid it", () => {
  const policy = { orchestration: { mode: "off", stream: "all" } } as const;
  for (const choice of [undefined, "all", "final"] as const) {
    assertEquals(orchestrationFor({ policy, tier: always, choice, endpoint }).mode, "off");
  }
});

Deno.test("the caller chooses the stream, or none of it", () => {
  const policy = { orchestration: { mode: "auto", stream: "final" } } as const;
  const chosen = (choice: "off" | "final" | "all") =>
    orchestrationFor({ policy, tier: auto, choice, endpoint });
  assertEquals(chosen("off").mode, "off");
  assertEquals(chosen("all"), { mode: "auto", stream: "all" });
  assertEquals(chosen("final"), { mode: "auto", stream: "final" });
});

Deno.test("Responses tell of tasks only to who asks for them", () => {
  const policy = { orchestration: { mode: "auto", stream: "all" } } as const;
  const stream = (choice?: "final" | "all") =>
    orchestrationFor({ policy, tier: auto, choice, endpoint: "responses" }).stream;
  assertEquals([stream(), stream("final"), stream("all")], ["final", "final", "all"]);
});
