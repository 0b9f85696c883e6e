import manifest from "../../deno.json" with { type: "json" };
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";

/** The handler of the service itself. */
export function serviceHandlers({ publicUrl }: AdminDeps) {
  return {
    "GET /service": () => ({ version: manifest.version, publicUrl: publicUrl() || null }),
  } satisfies Partial<Handlers>;
}
