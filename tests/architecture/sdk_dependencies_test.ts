/**
 * What an application takes on with the client library: its packages, and what of them is loaded
 * before anything is used.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { read, ROOT, url } from "./source_files.ts";

/** What `deno info --json` says, as far as it matters here. */
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
  readonly npmPackages: Readonly<Record<string, { name: string; dependencies: string[] }>>;
}

const { exports: entries } = JSON.parse(await read("sdk/deno.json"));

async function graphOf(entry: string): Promise<Graph> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: ROOT,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Modules that are loaded with the entry point; with `later`, those of first use too. */
function loaded({ roots, modules }: Graph, { later }: { readonly later: boolean }): Set<string> {
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const found = new Set(roots);
  for (const specifier of found) {
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined && (later || isDynamic !== true)) found.add(code.specifier);
    }
  }
  return found;
}

/** Names of packages among modules: `npm:/zod@4.6.7` is `zod`. */
function packages(specifiers: Iterable<string>): string[] {
  const names = [...specifiers].map((text) => /^(?:npm|jsr):\/?(@?[^@]+)@/.exec(text)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

const graphs = await Promise.all(
  Object.values<string>(entries).map((entry) => graphOf(`sdk/${entry}`)),
);

Deno.test("@svc/sdk brings @svc/tools, zod and eventsource-parser, and nothing else", () => {
  const allowed = /^(?:\.{1,2}\/|node:|@svc\/tools(?:\/json)?$|zod$|eventsource-parser$)/;
  for (const { modules } of graphs) {
    const own = modules.filter(({ specifier }) => specifier.startsWith(url("sdk/")));
    assert(own.length > 0);
    const strangers = own.flatMap(({ dependencies = [] }) => dependencies)
      .filter(({ specifier }) => !allowed.test(specifier));
    assertEquals(strangers, []);
  }
});

Deno.test("what @svc/sdk brings brings nothing by itself", () => {
  for (const { npmPackages } of graphs) {
    const brought = Object.values(npmPackages)
      .filter(({ name }) => name === "zod" || name === "eventsource-parser");
    assertEquals(brought.flatMap(({ dependencies }) => dependencies), []);
  }
});

Deno.test("importing @svc/sdk loads no library of a tool: each comes with the tool's first use", () => {
  for (const graph of graphs) {
    const atOnce = packages(loaded(graph, { later: false }));
    assertEquals(atOnce.filter((name) => name !== "eventsource-parser" && name !== "zod"), []);
  }
  const [main] = graphs;
  assert(main !== undefined);
  assertEquals(packages(loaded(main, { later: true })), [
    ...["brace-expansion", "eventsource-parser", "ignore", "temporal-polyfill"],
  ]);
});
