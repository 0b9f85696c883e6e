import { assertEquals, assertThrows } from "@std/assert";
import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import { createUpstream } from "./factory.ts";
import { OpenAICompatibleUpstream } from "./openai_compatible/mod.ts";

Deno.test("createUpstream() makes what the configuration says", () => {
  const deps = { clock: { nowMs: () => 0, monotonicMs: () => 0 }, env: () => undefined };
  const make = (kind: UpstreamConfig["kind"]) =>
    createUpstream({
      id: `u-${kind}`,
      kind,
      provider: "lab",
      baseUrl: "http://127.0.0.1:9/v1",
      maxInFlight: 2,
      onDisconnect: "cancel",
      timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    }, deps);
  for (const kind of ["openai", "openai-compatible", "simulator"] as const) {
    const upstream = make(kind);
    assertEquals(upstream.id, `u-${kind}`);
    assertEquals(upstream instanceof OpenAICompatibleUpstream, kind !== "simulator");
    upstream.close();
  }
});

Deno.test("a provider whose address is not known is refused before anything of it is loaded", () => {
  const deps = { clock: { nowMs: () => 0, monotonicMs: () => 0 }, env: () => undefined };
  const config: UpstreamConfig = {
    id: "far",
    kind: "azure",
    provider: "lab",
    maxInFlight: 2,
    onDisconnect: "cancel",
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
  };
  assertThrows(() => createUpstream(config, deps), TypeError, "its address is not known");
});
