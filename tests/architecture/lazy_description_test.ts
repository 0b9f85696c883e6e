/**
 * The OpenAPI description is not loaded at the start of the service, but with the first request for
 * it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { ROOT, url } from "./source_files.ts";

interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: { readonly specifier?: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

Deno.test("neither the description nor its library is loaded at the start", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "gateway/main.ts"],
    cwd: ROOT,
  }).output();
  const { roots, modules }: Graph = JSON.parse(new TextDecoder().decode(stdout));
  const known = new Map(modules.map((module) => [module.specifier, module]));
  // Every command is loaded dynamically, `serve` included; of its parts only the description stays
  // out.
  const isDescription = (specifier: string) => specifier.startsWith(url("gateway/openapi/"));
  const reached = new Set(roots);
  for (const specifier of reached) {
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
      if (code?.specifier === undefined) continue;
      if (isDynamic !== true || !isDescription(code.specifier)) reached.add(code.specifier);
    }
  }
  assert(reached.has(url("gateway/http/public_app.ts")));
  const loaded = [...reached].filter((specifier) =>
    isDescription(specifier) || specifier.includes("zod-openapi") ||
    specifier.startsWith(url("gateway/admin/answers/"))
  );
  assertEquals(loaded, [url("gateway/openapi/description.ts")]);
});
