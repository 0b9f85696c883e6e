/**
 * The dependencies that the client library brings to an application, and the part of it that is
 * loaded at import.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { read, ROOT, url } from "./source_files.ts";

/** The part of `deno info --json` that these tests read. */
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

/**
 * Returns the modules that are loaded with the entry point; with `later`, also those of dynamic
 * imports.
 */
function loaded({ roots, modules }: Graph, { later }: { readonly later: boolean }): Set<string> {
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const reached = new Set(roots);
  for (const specifier of reached) {
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined && (later || isDynamic !== true)) {
        reached.add(code.specifier);
      }
    }
  }
  return reached;
}

/** Returns the names of packages among modules: `npm:/zod@4.6.7` is `zod`. */
function packages(specifiers: Iterable<string>): string[] {
  const names = [...specifiers].map((text) => /^(?:npm|jsr):\/?(@?[^@]+)@/.exec(text)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

const graphs = await Promise.all(
  Object.values<string>(entries).map((entry) => graphOf(`sdk/${entry}`)),
);

/** The entry point that alone brings the library of the Model Context Protocol. */
const MCP = "sdk/mcp/";

function isOfMcp({ roots }: Graph): boolean {
  return roots.some((root) => root.startsWith(url(MCP)));
}

Deno.test("@svc/sdk brings @svc/tools, zod and eventsource-parser, and nothing else", () => {
  const allowed = /^(?:\.{1,2}\/|node:|@svc\/tools(?:\/\w+)?$|zod$|eventsource-parser$)/;
  assertEquals(graphs.filter(isOfMcp).length, 1);
  for (const { modules } of graphs) {
    const own = modules.filter(({ specifier }) =>
      specifier.startsWith(url("sdk/")) && !specifier.startsWith(url(MCP))
    );
    assert(own.length > 0);
    const strangers = own.flatMap(({ dependencies = [] }) => dependencies)
      .filter(({ specifier }) => !allowed.test(specifier));
    assertEquals(strangers, []);
  }
});

Deno.test("only @svc/sdk/mcp brings the library of its protocol, loaded with its first use", () => {
  const library = "@modelcontextprotocol/sdk";
  for (const graph of graphs) {
    const brought = packages(loaded(graph, { later: true })).includes(library);
    assertEquals(brought, isOfMcp(graph), graph.roots.join());
    assert(!packages(loaded(graph, { later: false })).includes(library));
  }
});

Deno.test("the dependencies of @svc/sdk have no dependencies of their own", () => {
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
