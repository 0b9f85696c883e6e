import { assertEquals } from "@std/assert";
import { orchestrationFor } from "./mode.ts";

const auto = { orchestration: "auto" } as const;
const off = { orchestration: "off" } as const;
const always = { orchestration: "always" } as const;
const service = { dialect: "service" } as const;

Deno.test("the tier can forbid it, and decides if the policy does not", () => {
  const policy = { orchestration: { mode: "always", stream: "final" } } as const;
  const modeOf = (input: Omit<Parameters<typeof orchestrationFor>[0], "dialect">) =>
    orchestrationFor({ ...input, ...service });
  assertEquals(modeOf({ policy, tier: off }), { mode: "off", stream: "final" });
  assertEquals(modeOf({ policy, tier: auto }), { mode: "always", stream: "final" });
  assertEquals(modeOf({ policy: {}, tier: auto }), { mode: "auto", stream: "all" });
  assertEquals(modeOf({ policy: {}, tier: always }), { mode: "always", stream: "all" });
});

Deno.test("the policy can forbid it", () => {
  const policy = { orchestration: { mode: "off", stream: "all" } } as const;
  for (const choice of [undefined, "all", "final"] as const) {
    assertEquals(orchestrationFor({ policy, tier: always, choice, ...service }).mode, "off");
  }
});

Deno.test("the stream is what the caller asks for, else the dialect's, and never above the policy's", () => {
  // Ceiling, dialect, X-Orchestration: what the stream carries.
  const table = [
    ["all", "service", undefined, "all"],
    ["all", "service", "all", "all"],
    ["all", "service", "final", "final"],
    ["all", "openai", undefined, "final"],
    ["all", "openai", "all", "all"],
    ["all", "openai", "final", "final"],
    ["final", "service", undefined, "final"],
    ["final", "service", "all", "final"],
    ["final", "service", "final", "final"],
    ["final", "openai", undefined, "final"],
    ["final", "openai", "all", "final"],
    ["final", "openai", "final", "final"],
  ] as const;
  for (const [ceiling, dialect, choice, stream] of table) {
    const policy = { orchestration: { mode: "auto", stream: ceiling } } as const;
    const row = `${ceiling} ${dialect} ${choice}`;
    const decided = orchestrationFor({ policy, tier: auto, dialect, choice });
    assertEquals(decided, { mode: "auto", stream }, row);
    // The default policy is the same ceiling.
    if (ceiling !== "all") continue;
    assertEquals(orchestrationFor({ policy: {}, tier: auto, dialect, choice }).stream, stream, row);
  }
});

Deno.test("the caller can ask for one piece, in either dialect", () => {
  for (const dialect of ["service", "openai"] as const) {
    const input = { policy: {}, tier: always, dialect, choice: "off" } as const;
    assertEquals(orchestrationFor(input).mode, "off");
  }
});
