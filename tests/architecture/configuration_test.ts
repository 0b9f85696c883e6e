import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { COMMAND_VARIABLES } from "../../gateway/config/variables.ts";
import { METADATA_NAMES, METADATA_RANGES } from "../../gateway/domain/catalog/metadata_address.ts";
import { SERVE_VARIABLES } from "../../gateway/config/settings.ts";
import { flagsOfTask, serviceEnvironment } from "../fixtures/task_flags.ts";
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

/** Returns the values of one flag of the permission set of a task. */
async function valuesOf(name: "serve" | "svc", flag: string): Promise<string[]> {
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

Deno.test("no program that a task runs looks for a newer Deno", async () => {
  const { DENO_NO_UPDATE_CHECK } = await serviceEnvironment();
  assertEquals(DENO_NO_UPDATE_CHECK, "1");
  for (const [name, { command }] of Object.entries(tasks)) {
    if (!/\bdeno run\b/.test(command)) continue;
    assertMatch(command, /^(DENO_NO_UPDATE_CHECK=1 |export \$\(cat ops\/service\.env\) && )/, name);
  }
});

Deno.test("the settings of the service's process are in ops/service.env alone", async () => {
  for (const [name, { command }] of Object.entries(tasks)) {
    assertNotMatch(command, /MALLOC_|OTEL_|--max-semi-space-size/, name);
  }
  for (const name of ["serve:prepare", "serve", "svc", "compile"]) {
    assertMatch(command(name), /^export \$\(cat ops\/service\.env\) && /, name);
  }
  // The binary carries the settings of V8 with it.
  assertMatch(command("compile"), / --v8-flags=\$DENO_V8_FLAGS /);
  // Each line is one word of `export`.
  assertMatch(await read("ops/service.env"), /^(\w+=[^\s"'$*?\\]+\n)+$/);
});

Deno.test("every command fits on the screen: permissions are in sets", () => {
  for (const [name, { command }] of Object.entries(tasks)) {
    assert(command.length <= 250, `Task "${name}" has ${command.length} characters`);
    assertNotMatch(command, /--(allow|deny)-[a-z]+=[^ ]{60}/, name);
  }
});

Deno.test("before it serves, a task names unknown variables: serving may not list them", () => {
  assertMatch(command("serve:prepare"), / --allow-env gateway\/main\.ts variables$/);
});

Deno.test("each task has its permission set, and the binary that of the checkout", () => {
  assertMatch(command("serve"), / \$\(deno run .* ops\/serve_flags\.ts\) gateway\/main\.ts serve$/);
  assertMatch(command("svc"), / --no-prompt -P=svc gateway\/main\.ts$/);
  assertMatch(command("compile"), / --no-prompt -P /);
  assertEquals(config.compile.permissions, "svc");
  for (const name of ["test", "test:unit"]) assertMatch(command(name), / -P=test tests\/suite\//);
  assertEquals(command("jsr:check"), "deno task test --config=deno.jsr.json");
  for (const section of ["test", "bench"]) assertEquals(config[section].permissions, "test");
  assertEquals(Object.keys(config.permissions), ["serve", "svc", "test"]);
  assertEquals(config.permissions.test.net, ["127.0.0.1", "localhost"]);
});

Deno.test("serving reads and writes named paths, prompts for nothing, and denies metadata services", async () => {
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
  for (const name of ["serve", "svc"] as const) {
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
  assertEquals((await valuesOf("svc", "allow-env")).sort(), all);
});

Deno.test("the project's own rules are part of the linter, and no rule is switched off", () => {
  assertEquals(config.lint.plugins, ["./lint/mod.ts"]);
  assertEquals(config.lint.rules, { tags: ["recommended", "jsr", "workspace"] });
});

Deno.test("sanitizers are on, and coverage has a floor", () => {
  const { sanitizeOps, sanitizeResources } = config.test;
  assertEquals([sanitizeOps, sanitizeResources], [true, true]);
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
