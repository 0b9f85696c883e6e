import { assertEquals, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { fileRead, fileSearch, fileWrite, shell } from "./mod.ts";

interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier: string };
    }[];
  }[];
}

async function graph(): Promise<Graph> {
  const root = fromFileUrl(new URL("mod.ts", import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", root] })
    .output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/**
 * Returns the modules that are loaded with the package, and those that the first use of a tool
 * adds.
 */
async function loaded(): Promise<{ readonly first: Set<string>; readonly later: Set<string> }> {
  const { roots, modules } = await graph();
  const first = new Set(roots);
  const later = new Set<string>();
  for (const group of [first, later]) {
    for (const specifier of group) {
      const module = modules.find((module) => module.specifier === specifier);
      for (const { isDynamic, code } of module?.dependencies ?? []) {
        if (code === undefined || first.has(code.specifier)) continue;
        (isDynamic ? later : group).add(code.specifier);
      }
    }
  }
  return { first, later };
}

function foreign(specifiers: Iterable<string>): string[] {
  return [...specifiers].filter((specifier) => !specifier.startsWith("file:"))
    .map((specifier) => specifier.replace(/^npm:\/?|@[\d.]+$/g, "")).sort();
}

Deno.test("the package loads nothing but its own modules; a tool loads the rest on first use", async () => {
  const { first, later } = await loaded();
  assertEquals(first.size > 20, true);
  assertEquals(foreign(first), []);
  assertEquals(foreign(later), [
    "brace-expansion",
    "ignore",
    "node:child_process",
    "node:events",
    "node:fs/promises",
    "node:path",
    "node:process",
    "node:timers/promises",
    "temporal-polyfill",
  ]);
});

Deno.test("options are checked when a tool is made, not when it is first used", () => {
  for (const make of [fileRead, fileSearch, fileWrite]) {
    assertThrows(() => make({ fileDeny: ["**/a/**/b/**"] }), TypeError, "Cannot deny the files");
  }
  assertThrows(() => fileWrite({ permissionTimeoutMs: 0 }), RangeError, "permissionTimeoutMs");
  assertThrows(() => shell({ maxOutputBytes: 0 }), RangeError, "maxOutputBytes");
});
