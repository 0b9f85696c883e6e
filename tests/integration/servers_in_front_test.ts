/**
 * The configurations in `ops/` of servers in front, run by the real servers with TLS: applications
 * call through them, and operators reach the API, the console and the metrics by a name.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService, until } from "../fixtures/service.ts";
import { freePort } from "../fixtures/free_port.ts";

const OPS = fromFileUrl(import.meta.resolve("../../ops/"));
const PUBLIC_NAME = "models.example.com";
const ADMIN_NAME = "ops.example.com";

/** Ports of the server in front, and of the service's listeners. */
interface Ports {
  readonly front: number;
  readonly public: number;
  readonly admin: number;
}

/** The sites in `ops/`, with the ports of this test. */
async function sites(names: readonly string[], ports: Ports): Promise<string> {
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(OPS, name))));
  return texts.join("\n").replaceAll("127.0.0.1:8787", `127.0.0.1:${ports.public}`)
    .replaceAll("127.0.0.1:8788", `127.0.0.1:${ports.admin}`);
}

async function nginx(folder: string, ports: Ports): Promise<string[]> {
  const site = (await sites(["nginx.conf", "nginx_admin.conf"], ports))
    .replaceAll(/^.*listen \[::\].*$/gm, "")
    .replaceAll("listen 443", `listen 127.0.0.1:${ports.front}`)
    .replaceAll(/ssl_certificate \S+;/g, `ssl_certificate ${join(folder, "cert.pem")};`)
    .replaceAll(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${join(folder, "key.pem")};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`).join("\n");
  const path = join(folder, "nginx.conf");
  const around = `daemon off;\npid ${join(folder, "pid")};\nevents {}\n`;
  await Deno.writeTextFile(path, `${around}http {\naccess_log off;\n${temporary}\n${site}\n}\n`);
  return ["-p", folder, "-c", path, "-e", "stderr"];
}

async function caddy(folder: string, ports: Ports): Promise<string[]> {
  const tls = `tls ${join(folder, "cert.pem")} ${join(folder, "key.pem")}`;
  const site = (await sites(["Caddyfile", "Caddyfile.admin"], ports))
    .replace(/^\{$/m, "{\n\tadmin off\n\tauto_https disable_redirects")
    .replaceAll(/^(\w+\.example\.com) \{$/gm, `$1:${ports.front} {\n\tbind 127.0.0.1\n\t${tls}`);
  const path = join(folder, "Caddyfile");
  await Deno.writeTextFile(path, site);
  return ["run", "--config", path, "--adapter", "caddyfile"];
}

for (const [program, prepare] of Object.entries({ nginx, caddy })) {
  Deno.test(`${program} with the files of ops/ serves applications and operators over TLS`, async () => {
    if (!await areHere([program, "openssl", "curl"])) return;
    const folder = await Deno.makeTempDir();
    try {
      // The server's workers may be another user.
      await Deno.chmod(folder, 0o755);
      await makeCertificate(folder);
      const ports = { front: freePort(), public: freePort(), admin: freePort() };
      await using _service = await TestService.start({
        settings: {
          port: ports.public,
          adminPort: ports.admin,
          publicUrl: `https://${PUBLIC_NAME}:${ports.front}`,
          adminUrls: [`https://${ADMIN_NAME}:${ports.front}`],
          trustedProxies: ["127.0.0.1/32"],
        },
      });
      const child = new Deno.Command(program, {
        args: await prepare(folder, ports),
        env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
      const errorOutput = new Response(child.stderr).text();
      try {
        const ask = asker(folder, ports.front);
        await until(async () => (await ask(PUBLIC_NAME, "/healthz")).status === 200, program);
        await serveApplications(ask);
        await serveOperators(ask, `https://${ADMIN_NAME}:${ports.front}`);
      } catch (error) {
        throw new Error(`${program} failed`, { cause: error });
      } finally {
        child.kill("SIGTERM");
        await child.status;
        await errorOutput;
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

async function serveApplications(ask: Ask): Promise<void> {
  const chat = (body: Readonly<Record<string, unknown>>) =>
    ask(PUBLIC_NAME, "/openai/v1/chat/completions", {
      headers: [`Authorization: Bearer ${BOOTSTRAP_KEY}`, "Content-Type: application/json"],
      body: JSON.stringify({
        model: "auto",
        messages: [{ role: "user", content: "Say hello" }],
        ...body,
      }),
    });
  const answer = await chat({});
  assertEquals(answer.status, 200, answer.text);
  assertStringIncludes(answer.text, '"charged"');
  const stream = await chat({ stream: true });
  assertMatch(stream.head, /content-type: text\/event-stream/i);
  assert(stream.text.split("\ndata: ").length > 3, stream.text);
  // Longer than the service takes, and than the server in front does: each says so by itself.
  for (const megabytes of [32, 40]) {
    const content = "x".repeat(megabytes * 1024 * 1024);
    const long = await chat({ messages: [{ role: "user", content }] });
    assertEquals([long.status, long.text.includes('"request_id"')], [413, megabytes === 32]);
  }
  assertEquals((await ask(PUBLIC_NAME, "/admin/v1/service")).status, 404);
}

async function serveOperators(ask: Ask, origin: string): Promise<void> {
  const bearer = [`Authorization: Bearer ${ADMIN_TOKEN}`];
  const about = await ask(ADMIN_NAME, "/admin/v1/service", { headers: bearer });
  assertEquals(about.status, 200, about.text);
  assertEquals((await ask(ADMIN_NAME, "/admin/v1/service")).status, 401);
  const metrics = await ask(ADMIN_NAME, "/metrics", { headers: bearer });
  assertStringIncludes(metrics.text, "svc_requests_total");
  const page = await ask(ADMIN_NAME, "/console/sign-in", { headers: ["Accept: text/html"] });
  assertEquals(page.status, 200, page.text);
  const signIn = (from: string) =>
    ask(ADMIN_NAME, "/console/sign-in", {
      headers: [`Origin: ${from}`, "Content-Type: application/x-www-form-urlencoded"],
      body: `token=${ADMIN_TOKEN}`,
    });
  const signedIn = await signIn(origin);
  assertEquals(signedIn.status, 303, signedIn.text);
  const [, cookie = ""] = /set-cookie: ([^;]+);.*; Secure\r?$/im.exec(signedIn.head) ?? [];
  assertMatch(cookie, /^svc_session/, signedIn.head);
  const overview = await ask(ADMIN_NAME, "/console/wallets", { headers: [`Cookie: ${cookie}`] });
  assertEquals(overview.status, 200, overview.text);
  assertEquals((await signIn("https://evil.example")).status, 403);
}

/** The answer of a server. */
interface Reply {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}

type Ask = (
  name: string,
  path: string,
  options?: { readonly headers?: readonly string[]; readonly body?: string },
) => Promise<Reply>;

/** Asks by a name that stands for this machine, and trusts the test's own certificate alone. */
function asker(folder: string, port: number): Ask {
  return async (name, path, { headers = [], body } = {}) => {
    const sent = ["--silent", "--include", "--max-time", "50", "--http1.1", "--noproxy", "*"];
    const to = ["--resolve", `${name}:${port}:127.0.0.1`, "--cacert", join(folder, "cert.pem")];
    const given = [...headers, "Expect:"].flatMap((header) => ["--header", header]);
    const data = body === undefined ? [] : ["--data-binary", `@${join(folder, "body")}`];
    if (body !== undefined) await Deno.writeTextFile(join(folder, "body"), body);
    const args = [...sent, ...to, ...given, ...data, `https://${name}:${port}${path}`];
    const { stdout } = await new Deno.Command("curl", { args }).output();
    const answer = new TextDecoder().decode(stdout);
    const [head = "", ...rest] = answer.split("\r\n\r\n");
    const status = Number(/^HTTP\/[\d.]+ (\d+)/.exec(head)?.[1]);
    return { status, head, text: rest.join("\r\n\r\n") };
  };
}

async function makeCertificate(folder: string): Promise<void> {
  const names = [PUBLIC_NAME, ADMIN_NAME].map((name) => `DNS:${name}`).join(",");
  const { code, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", "/CN=test", "-addext", `subjectAltName=${names}`],
      ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
    ],
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

/** True when the programs are installed; logs the one that is not. */
async function areHere(programs: readonly string[]): Promise<boolean> {
  for (const program of programs) {
    try {
      await new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" })
        .output();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      console.warn(`NOT tested: there is no ${program} here`);
      return false;
    }
  }
  return true;
}
