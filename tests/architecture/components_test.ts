import { assertEquals } from "@std/assert";
import { imports } from "./source_files.ts";

/**
 * The components of the gateway, each with the components that it may import. A component comes
 * after all that it imports, so the table itself has no cycle. Adding an import is a decision for
 * review: widen a row only where no cut is better.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ["domain"],
  system: ["domain", "ports"],
  guarded_fetch: ["domain", "ports"],
  tokens: ["ports"],
  images: ["domain", "guarded_fetch", "ports", "system"],
  wire: ["domain", "images", "ports"],
  stores: ["domain", "ports", "system"],
  vector_stores: ["ports", "system"],
  upstreams: ["domain", "guarded_fetch", "images", "ports", "system", "wire"],
  config: ["domain", "system", "upstreams"],
  search: ["domain", "ports", "system", "upstreams"],
  sso: ["ports"],
  flows: ["domain", "images", "ports", "system", "wire"],
  notify: ["domain", "guarded_fetch", "ports", "system"],
  http: ["domain", "flows", "images", "ports", "search", "system", "vector_stores", "wire"],
  telemetry: ["domain", "ports", "system"],
  admin_api: ["config", "domain", "http", "ports", "vector_stores"],
  openapi: ["admin_api", "domain", "http"],
  admin: [
    ...["admin_api", "config", "domain", "flows", "http", "ports", "system", "upstreams"],
    ...["vector_stores", "wire"],
  ],
  key_holder: ["admin", "admin_api", "domain", "flows", "http", "ports"],
  console: ["admin", "admin_api", "config", "domain", "flows", "http", "ports", "system"],
  key_pages: ["admin", "admin_api", "console", "domain", "flows", "http", "key_holder", "ports"],
  service: [
    ...["admin", "config", "console", "domain", "flows", "guarded_fetch", "http", "key_holder"],
    "key_pages",
    ...["notify", "openapi", "ports", "search", "sso", "stores", "system", "telemetry", "tokens"],
    ...["upstreams", "vector_stores"],
  ],
  backup: ["flows", "ports", "stores", "system"],
  store_copy: ["domain", "ports", "stores", "system"],
  doctor: [
    ...["admin", "admin_api", "backup", "config", "domain", "flows", "service", "stores"],
    ...["system", "upstreams"],
  ],
  cli: [
    ...["admin_api", "backup", "config", "doctor", "domain", "ports", "store_copy", "system"],
    ...["tokens", "vector_stores"],
  ],
};

/** Entry points: they assemble components and are imported by none. */
const ENTRY_POINTS = ["main.ts", "mod.ts"];

const graph = await imports();

/** True for a file that only tests load. */
function isForTests(path: string): boolean {
  return /(_test|_fixture|_test_support)\.tsx?$/.test(path);
}

/** The component of a file of the gateway, or the name of a file directly under `gateway/`. */
function componentOf(path: string): string | undefined {
  return path.startsWith("gateway/") ? path.split("/")[1] : undefined;
}

/** A pair of a file and a file that it imports. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The imports between different components that the table does not allow. */
function forbidden(edges: readonly Edge[]): string[] {
  return edges.filter(({ from, to }) => {
    const [here, there] = [componentOf(from), componentOf(to)];
    if (here === undefined || there === undefined || here === there) return false;
    if (isForTests(from) || to.endsWith(".json")) return false;
    return !ENTRY_POINTS.includes(here) && !ALLOWED[here]?.includes(there);
  }).map(({ from, to }) => `${from} imports ${to}`);
}

/** The import cycles between files, each as the sorted list of the files in it (Tarjan, 1972). */
function cyclesOf(edges: readonly Edge[]): string[][] {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const number = index.size;
    index.set(file, number);
    let lowest = number;
    stack.push(file);
    for (const { to } of targets.get(file) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, visit(to));
      else if (stack.includes(to)) lowest = Math.min(lowest, index.get(to) ?? lowest);
    }
    low.set(file, lowest);
    if (lowest === number) {
      const cycle = stack.splice(stack.indexOf(file));
      if (cycle.length > 1) cycles.push(cycle.sort());
    }
    return lowest;
  };
  for (const file of targets.keys()) if (!index.has(file)) visit(file);
  return cycles;
}

Deno.test("a component imports only what the table allows", () => {
  assertEquals(forbidden(graph), []);
});

Deno.test("the table names every component, and allows nothing that is not used", () => {
  const used = new Map<string, Set<string>>(Object.keys(ALLOWED).map((name) => [name, new Set()]));
  for (const { from, to } of graph) {
    const [here, there] = [componentOf(from), componentOf(to)];
    if (here === undefined || there === undefined || here === there) continue;
    if (isForTests(from) || to.endsWith(".json")) continue;
    used.get(here)?.add(there);
  }
  const table = Object.fromEntries([...used].map(([name, set]) => [name, [...set].sort()]));
  assertEquals(
    table,
    Object.fromEntries(Object.entries(ALLOWED).map(([name, row]) => [name, row.toSorted()])),
  );
});

Deno.test("the table is in order: a component comes after all that it imports", () => {
  const names = Object.keys(ALLOWED);
  const late = names.flatMap((name, place) =>
    (ALLOWED[name] ?? []).filter((other) => names.indexOf(other) >= place)
      .map((other) => `${name} stands before ${other}`)
  );
  assertEquals(late, []);
});

Deno.test("no import cycle between files, imports of types included", () => {
  assertEquals(cyclesOf(graph), []);
});

Deno.test("a forbidden import and a cycle are found", () => {
  assertEquals(forbidden([{ from: "gateway/domain/a.ts", to: "gateway/flows/b.ts" }]), [
    "gateway/domain/a.ts imports gateway/flows/b.ts",
  ]);
  const edges = [["a", "b"], ["b", "c"], ["c", "a"], ["c", "d"]]
    .map(([from = "", to = ""]) => ({ from, to }));
  assertEquals(cyclesOf(edges), [["a", "b", "c"]]);
});
