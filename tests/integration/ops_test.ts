/**
 * The files in `ops/` and the deployment page: they name files that exist, and agree with the code.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { METADATA_RANGES } from "../../gateway/domain/catalog/metadata_address.ts";
import { BODY_MAX_BYTES } from "../../gateway/http/read_json.ts";
import { parseServeSettings, SERVE_VARIABLES } from "../../gateway/config/settings.ts";
import { SHUTDOWN_GRACE_MS } from "../../gateway/service/start.ts";

const ROOT = fromFileUrl(import.meta.resolve("../../"));
const UNITS = ["svc.service", "svc-backup.service", "svc-backup.timer"];

const read = (path: string) => Deno.readTextFile(join(ROOT, path));

/** Values of a setting of a unit. */
async function valuesOf(unit: string, name: string): Promise<string[]> {
  const lines = (await read(`ops/${unit}`)).split("\n");
  return lines.flatMap((line) => line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []);
}

Deno.test("systemd takes the units, once their programs are there", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const unit of UNITS) {
      const text = (await read(`ops/${unit}`)).replaceAll("/usr/local/bin/svc ", "/bin/true ");
      await Deno.writeTextFile(join(folder, unit), text);
    }
    const args = ["verify", ...UNITS.map((unit) => join(folder, unit))];
    const { code, stderr } = await new Deno.Command("systemd-analyze", { args }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.warn("Not tested: there is no systemd-analyze here");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the unit leaves time to drain, denies metadata services and sets what svc reads", async () => {
  const [stop = ""] = await valuesOf("svc.service", "TimeoutStopSec");
  assert(Number(stop.replace("s", "")) * 1_000 > SHUTDOWN_GRACE_MS + 5_000, stop);
  const [denied = ""] = await valuesOf("svc.service", "IPAddressDeny");
  assertEquals(denied.split(" ").sort(), [...METADATA_RANGES].sort());
  for (const unit of UNITS) {
    const texts = (await valuesOf(unit, "Environment")).flatMap((text) => text.split(" "));
    const settings = texts.filter((text) => !text.startsWith("MALLOC_"))
      .map((text) => text.split("="));
    for (const [name = ""] of settings) assert(SERVE_VARIABLES.includes(name), name);
    assert(parseServeSettings([], Object.fromEntries(settings)).ok, unit);
  }
  const [state] = await valuesOf("svc.service", "StateDirectory");
  const [kv = ""] = await valuesOf("svc.service", "Environment");
  assertStringIncludes(kv, `/var/lib/${state}/`);
  const [writable = ""] = await valuesOf("svc-backup.service", "ReadWritePaths");
  assertEquals(writable, "/var/lib/svc /var/backups/svc");
});

Deno.test("each way of starting the service sets the same options of the C library", async () => {
  const wanted = (await read("ops/service.env")).match(/\bMALLOC_\S+=\S+/g) ?? [];
  assertEquals(wanted.length, 3);
  for (const path of ["ops/svc.service", "ops/Containerfile", "docs/deployment.md"]) {
    assertEquals((await read(path)).match(/\bMALLOC_\S+=\S+/g), wanted, path);
  }
});

Deno.test("the image is built of what is there, and asks for a path that answers", async () => {
  const text = (await read("ops/Containerfile")).replaceAll("\\\n", " ");
  const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, all = ""]) =>
    all.split(" ")
  );
  assert(copied.includes("gateway"));
  for (const path of copied) await Deno.stat(join(ROOT, path));
  const { workspace } = JSON.parse(await read("deno.json"));
  for (const member of workspace) {
    const name = member.replace("./", "");
    assert(copied.some((path) => path === name || path.startsWith(`${name}/`)), name);
  }
  assertStringIncludes(text, "/readyz");
  const { version } = Deno;
  assertStringIncludes(text, `deno:debian-${version.deno}`);
  assertMatch(text, /^USER svc$/m);
  const [, environment = ""] = /^ENV (SERVICE_.*)$/m.exec(text) ?? [];
  const settings = environment.trim().split(/ +/).map((pair) => pair.split("="));
  for (const [name = ""] of settings) assert(SERVE_VARIABLES.includes(name), name);
  const parsed = parseServeSettings([], Object.fromEntries(settings));
  assert(parsed.ok);
  // Reached from outside the container, by a name and for metrics.
  const { port, adminHost, adminPort, adminUrls, metrics } = parsed.settings;
  assertEquals([adminHost, adminUrls], ["0.0.0.0", [`http://svc:${adminPort}`]]);
  assertEquals(metrics?.host, "0.0.0.0");
  assertMatch(text, new RegExp(`^EXPOSE ${port} ${adminPort} ${metrics?.port}$`, "m"));
  assertMatch(text, /-p 127\.0\.0\.1:8788:8788/);
  assert(Number(/--stop-timeout (\d+)/.exec(text)?.[1]) * 1_000 > SHUTDOWN_GRACE_MS);
});

Deno.test("servers in front have the admin listener under a name of its own, and time-outs", async () => {
  for (const name of ["nginx.conf", "Caddyfile"]) {
    const text = (await read(`ops/${name}`)).replaceAll(/^\s*#.*$/gm, "");
    assertStringIncludes(text, "127.0.0.1:8787", name);
    assertEquals(text.includes("8788"), false, name);
    assertMatch(text, /header_timeout 10s|read_header 10s/, name);
    // Above the service's own limit, so that callers read its refusal; in Caddy MB are 1 000 000 bytes.
    const admin = await read(
      `ops/${name === "Caddyfile" ? "Caddyfile.admin" : "nginx_admin.conf"}`,
    );
    assertStringIncludes(admin, "127.0.0.1:8788", name);
    assertMatch(admin, /deny all;|respond @others 403/, name);
    const [, size = "0"] = /(?:client_max_body_size|max_size) (\d+)(?:m;|MiB)/.exec(text) ?? [];
    assert(Number(size) * 1024 * 1024 > BODY_MAX_BYTES, name);
    // As many braces are closed as opened.
    const depth = [...text].reduce(
      (sum, sign) => sum + (sign === "{" ? 1 : sign === "}" ? -1 : 0),
      0,
    );
    assertEquals(depth, 0, name);
  }
});

/** Variables of the instances in the Compose file, with those of the image below them. */
async function composeVariables(): Promise<Record<string, string>> {
  const compose = await read("ops/compose/compose.yml");
  const image = (await read("ops/Containerfile")).replaceAll("\\\n", " ");
  const [, ofImage = ""] = /^ENV (SERVICE_.*)$/m.exec(image) ?? [];
  const own = [...compose.matchAll(/^ +(SERVICE_[A-Z_]+): (.*)$/gm)];
  return {
    ...Object.fromEntries(ofImage.trim().split(/ +/).map((pair) => pair.split("="))),
    ...Object.fromEntries(
      own.map(([, name = "", value = ""]) => [name, value.replaceAll('"', "")]),
    ),
  };
}

Deno.test("the Compose file starts instances on PostgreSQL that leave time to drain", async () => {
  const compose = await read("ops/compose/compose.yml");
  const variables = await composeVariables();
  const fromSecrets = [...compose.matchAll(/'(SERVICE_[A-Z_]+)=/g)].map(([, name = ""]) => name);
  assertEquals(fromSecrets, ["SERVICE_ADMIN_TOKEN", "SERVICE_BOOTSTRAP_KEY"]);
  for (const name of [...Object.keys(variables), ...fromSecrets]) {
    assert(SERVE_VARIABLES.includes(name), name);
  }
  const parsed = parseServeSettings([], variables);
  assert(parsed.ok);
  const { store, trustedProxies } = parsed.settings;
  assertEquals(store, {
    kind: "postgres",
    url: "postgres://svc@postgres:5432/svc?sslmode=disable",
  });
  assertStringIncludes(compose, `subnet: ${trustedProxies.join()}`);
  const [, grace] = /stop_grace_period: (\d+)s/.exec(compose) ?? [];
  assert(Number(grace) * 1_000 > SHUTDOWN_GRACE_MS + 5_000, grace);
  // Each instance that there is, and no other, gets requests.
  const instances = [...compose.matchAll(/^ {2}(svc-\d):$/gm)].map(([, name]) => name);
  const nginx = await read("ops/compose/nginx.conf");
  const servers = [...nginx.matchAll(/^ {2}server (svc-\d):8787 /gm)].map(([, name]) => name);
  assertEquals([instances, servers.length], [servers, 2]);
});

Deno.test("the Compose file is YAML whose services, networks and volumes exist", async () => {
  const script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
  const parsed = await outputOf("python3", ["-c", script], await read("ops/compose/compose.yml"));
  if (parsed.code !== 0) return console.warn("Not tested: there is no Python with PyYAML here");
  const { services, networks, volumes, secrets } = JSON.parse(parsed.stdout);
  const named = (kind: string) =>
    Object.values<Record<string, string[] & object>>(services).flatMap((one) => {
      const value = one[kind] ?? [];
      return Array.isArray(value) ? value : Object.keys(value);
    });
  assertEquals(new Set(named("networks")), new Set(Object.keys(networks)));
  assertEquals(named("secrets"), Object.keys(secrets));
  for (const name of named("depends_on")) assert(Object.hasOwn(services, name), name);
  const mounts = named("volumes").map((mount) => mount.split(":")[0] ?? "");
  for (const mount of mounts) {
    if (mount.startsWith("./")) await Deno.stat(join(ROOT, "ops/compose", mount));
    else assert(Object.hasOwn(volumes, mount), mount);
  }
});

Deno.test("nginx takes the configuration beside the Compose file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const site = (await read("ops/compose/nginx.conf")).replaceAll(/svc-\d:/g, "127.0.0.1:");
    const path = join(folder, "nginx.conf");
    const own = `pid ${join(folder, "pid")};\nevents {}\nhttp {\naccess_log off;\n${site}\n}\n`;
    await Deno.writeTextFile(path, own);
    const { code, stderr } = await outputOf("nginx", [
      "-t",
      "-p",
      folder,
      "-c",
      path,
      "-e",
      "stderr",
    ]);
    if (code === -1) return console.warn("Not tested: there is no nginx here");
    assertEquals([code, /warn|emerg/.exec(stderr)?.[0]], [0, undefined], stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Runs a program with a text on its standard input; the code is -1 where there is none. */
async function outputOf(program: string, args: string[], input = "") {
  const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  try {
    const child = new Deno.Command(program, { args, ...pipes }).spawn();
    await new Blob([input]).stream().pipeTo(child.stdin);
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { code: -1, stdout: "", stderr: "" };
    throw error;
  }
}
