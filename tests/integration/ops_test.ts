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
