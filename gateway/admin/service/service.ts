import manifest from "../../deno.json" with { type: "json" };
import type { AdminApp, AdminDeps } from "../deps.ts";
import { resource } from "../resource.ts";

/** `/service`: what runs, and where applications call it. */
export function serveService(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/service", {
    GET: (context) =>
      context.json({ version: manifest.version, publicUrl: deps.publicUrl() || null }),
  });
}
