import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { COMMAND_VARIABLES } from "../../gateway/config/variables.ts";
import { METADATA_NAMES, METADATA_RANGES } from "../../gateway/domain/catalog/metadata_address.ts";
import { SERVE_VARIABLES } from "../../gateway/config/settings.ts";
import { flagsOfTask } from "../fixtures/task_flags.ts";
import { MEMBERS, read } from "./source_files.ts";

interface Task {
  command: string;
}

const config = JSON.parse(await read("deno.json"));
const tasks: Record<string, Task> = config.tasks;

function command(name: string): string {
  const task = tasks[name];
  assert(task !== undefined, `There is no task "${name}"`);
  return task.command;
}

/** Returns the permission flags of a task. */
function permissions(name: string): string[] {
  return command(name).match(/'?--(?:allow|deny)-(?!dirty)[^ ]+|--no-prompt/g) ?? [];
}

/** Returns the values of one flag of a task. */
async function valuesOf(name: string, flag: string): Promise<string[]> {
  const values = (await flagsOfTask(name)).find((word) => word.startsWith(`--${flag}=`));
  return values?.slice(`--${flag}=`.length).split(",") ?? [];
}

Deno.test("the lock is frozen, pins exact versions and names no host", async () => {
  assertEquals(config.lock, { path: "./deno.lock", frozen: true });
  assertNotMatch(await read("deno.lock"), /https?:|tarball/);
  for (const [name, target] of Object.entries<string>(config.imports)) {
    if (target.startsWith("npm:")) assertMatch(target, /@\d+\.\d+\.\d+$/, `${name} is not exact`);
  }
});

Deno.test("no task grants every permission", () => {
  for (const [name, { command }] of Object.entries(tasks)) {
    assertNotMatch(command, /(^| )(-A|--allow-all)( |$)/, `Task "${name}"`);
  }
});

Deno.test("no task asks a server whether there is a newer Deno", () => {
  for (const [name, { command }] of Object.entries(tasks)) {
    for (const step of command.split(" && ")) {
      if (!/^deno task /.test(step)) assertMatch(step, /^DENO_NO_UPDATE_CHECK=1 /, name);
    }
  }
});

Deno.test("before it serves, a task names unknown variables: serving may not list them", () => {
  assertMatch(command("serve:prepare"), / --allow-env gateway\/main\.ts variables$/);
});

Deno.test("the binary may do what the checkout may do", () => {
  assertEquals(permissions("compile"), permissions("svc"));
  assertEquals(permissions("jsr:check"), permissions("test"));
});

Deno.test("serving reads and writes named paths, asks nobody, and keeps off metadata services", async () => {
  const flags = await flagsOfTask("serve");
  assert(flags.includes("--no-prompt"));
  assertEquals(await valuesOf("serve", "allow-read"), [
    "gateway/vector_stores",
    "data",
    "data/svc.kv",
    "svc.json",
  ]);
  assertEquals(await valuesOf("serve", "allow-write"), ["data"]);
  const granted = flags.filter((flag) => flag.startsWith("--allow-"));
  assertEquals(granted.map((flag) => flag.replace(/=.*/, "")).sort(), [
    "--allow-env",
    "--allow-net",
    "--allow-read",
    "--allow-write",
  ]);
  // Deno cannot deny a range of IPv6 addresses.
  const ranges = METADATA_RANGES.filter((range) => !range.includes(":") || !range.includes("/"));
  const denied = [
    ...ranges.map((range) => range.includes(":") ? `[${range}]` : range),
    ...METADATA_NAMES,
  ];
  for (const name of ["serve", "svc", "compile"]) {
    assertEquals((await valuesOf(name, "deny-net")).sort(), denied.toSorted(), name);
  }
});

Deno.test("a service may read its settings, each by name, and a command its own besides", async () => {
  const serving = await valuesOf("serve", "allow-env");
  // Names that operators choose for the keys of their upstreams.
  const own = "SERVICE_UPSTREAM_*";
  assertEquals(serving.filter((name) => name.includes("*")), [own]);
  const settings = [...SERVE_VARIABLES, own].sort();
  assertEquals(serving.filter((name) => name.startsWith("SERVICE_")).sort(), settings);
  const all = [...new Set([...serving, ...COMMAND_VARIABLES, "NO_COLOR"])].sort();
  for (const name of ["svc", "compile"]) {
    assertEquals((await valuesOf(name, "allow-env")).sort(), all, name);
  }
});

Deno.test("the project's own rules are part of the linter, and no rule is switched off", () => {
  assertEquals(config.lint.plugins, ["./lint/mod.ts"]);
  assertEquals(config.lint.rules, { tags: ["recommended", "jsr", "workspace"] });
});

Deno.test("sanitizers are on, and coverage has a floor", () => {
  assertEquals(config.test, { sanitizeOps: true, sanitizeResources: true });
  assertEquals(config.coverage.thresholds, { lines: 90, branches: 80 });
});

Deno.test("deno.jsr.json is deno.json with the real packages and a lock of its own", async () => {
  const { links: _links, lock: _lock, tasks: _tasks, ...shared } = config;
  const { lock, ...jsr } = JSON.parse(await read("deno.jsr.json"));
  assertEquals(jsr, shared);
  assertEquals(lock, { path: "./deno.jsr.lock", frozen: false });
});

Deno.test("deno.jsr.lock pins the same npm packages as deno.lock", async () => {
  const ours = JSON.parse(await read("deno.lock"));
  const { specifiers, npm } = JSON.parse(await read("deno.jsr.lock"));
  for (const [name, version] of Object.entries(specifiers)) {
    if (name.startsWith("npm:")) assertEquals(version, ours.specifiers[name], name);
  }
  for (const [name, pinned] of Object.entries(npm)) assertEquals(pinned, ours.npm[name], name);
  const mapped = Object.values<string>(config.imports).filter((name) => name.startsWith("npm:"));
  assertEquals(mapped.filter((name) => !(name in specifiers)), []);
});

Deno.test("a release is built from one lock, and carries it", async () => {
  const release = await read(".github/workflows/release.yml");
  const builds = release.split("\n").filter((line) => /deno\.jsr\.json|jsr:check/.test(line))
    .filter((line) => !line.includes("deno install"));
  assertEquals(builds.length, 3);
  for (const build of builds) assertMatch(build, /--frozen/);
});

Deno.test("every public entry point has its documentation linted", async () => {
  const linted = command("ok:docs").split(" ");
  for (const member of MEMBERS) {
    const { exports, publish } = JSON.parse(await read(`${member}/deno.json`));
    if (publish === false) continue;
    const entries: string[] = typeof exports === "string" ? [exports] : Object.values(exports);
    for (const entry of entries) assert(linted.includes(entry.replace("./", `${member}/`)), entry);
  }
});

Deno.test("the packages share one version; only tools and sdk are published", async () => {
  const versions = new Set<string>();
  for (const member of MEMBERS) {
    const { version, publish } = JSON.parse(await read(`${member}/deno.json`));
    versions.add(version);
    assertEquals(publish === false, member === "gateway" || member === "tests", member);
  }
  assertEquals(versions.size, 1);
});
