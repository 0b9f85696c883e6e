/**
 * What a start of the service does not load: it is there with the first request for it.
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
  // `serve` is itself loaded later, as every command is: of what is, only the description stays out.
  const isDescription = (specifier: string) => specifier.startsWith(url("gateway/openapi/"));
  const found = new Set(roots);
  for (const specifier of found) {
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
      if (code?.specifier === undefined) continue;
      if (isDynamic !== true || !isDescription(code.specifier)) found.add(code.specifier);
    }
  }
  assert(found.has(url("gateway/http/public_app.ts")));
  const loaded = [...found].filter((specifier) =>
    isDescription(specifier) || specifier.includes("zod-openapi") ||
    specifier.startsWith(url("gateway/admin/answers/"))
  );
  assertEquals(loaded, [url("gateway/openapi/description.ts")]);
});
