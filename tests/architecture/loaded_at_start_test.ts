import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT, url } from "./source_files.ts";

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly isDynamic?: boolean;
  }[];
}

/**
 * Returns the modules that are loaded before the service starts: all imports of `svc serve` except
 * dynamic ones.
 */
async function loadedAtStart(): Promise<Set<string>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", join(ROOT, "gateway/main.ts")],
    cwd: ROOT,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { modules }: { modules: Module[] } = JSON.parse(new TextDecoder().decode(stdout));
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set<string>();
  const waiting = [url("gateway/service/serve.ts")];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (loaded.has(next)) continue;
    loaded.add(next);
    for (const { code, isDynamic } of known.get(next)?.dependencies ?? []) {
      if (code?.specifier !== undefined && isDynamic !== true) waiting.push(code.specifier);
    }
  }
  return loaded;
}

Deno.test("the console is loaded with its first request, not at the start", async () => {
  const loaded = [...await loadedAtStart()];
  assert(loaded.length > 100);
  const ofConsole = loaded.filter((specifier) =>
    specifier.startsWith(url("gateway/console/")) || /\/jsx|uplot/.test(specifier)
  );
  assertEquals(ofConsole, [url("gateway/console/mount.ts")]);
});

Deno.test("neither the command line, nor a local tool, nor a provider that is not called is loaded", async () => {
  const loaded = [...await loadedAtStart()];
  const of = (folder: string) => loaded.filter((specifier) => specifier.startsWith(url(folder)));
  assertEquals(of("gateway/cli/"), []);
  assertEquals(of("tools/").sort(), ["tools/json.ts", "tools/tool.ts"].map(url));
  assertEquals(of("gateway/upstreams/simulator/"), []);
  assertEquals(
    of("gateway/upstreams/ai_sdk/").map((specifier) => specifier.split("/").at(-1)).sort(),
    [
      "account.ts",
      "credentials.ts",
      "features.ts",
    ],
  );
});
