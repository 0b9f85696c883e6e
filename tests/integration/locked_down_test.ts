/**
 * The locked-down profile of the deployment page: its own command line, with the names that stand in
 * it put in place, and an upstream that it does not name.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { platformEnv } from "../fixtures/child_env.ts";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION } from "../fixtures/lab.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, until } from "../fixtures/service.ts";
import { freePort } from "../fixtures/free_port.ts";

const ROOT = fromFileUrl(import.meta.resolve("../../"));

/** The words of the command on the page. */
async function documented(): Promise<string[]> {
  const page = await Deno.readTextFile(join(ROOT, "docs/deployment.md"));
  const [, section = ""] = page.split("## The locked-down profile");
  const command = /```sh\n(deno run [\s\S]*?)```/.exec(section)?.[1];
  assert(command !== undefined, "The page has no such command");
  return command.replaceAll("\\\n", " ").trim().split(/\s+/).slice(1);
}

Deno.test("the locked-down profile serves with the hosts that it names, and reaches no other", async () => {
  const folder = await Deno.makeTempDir();
  await using named = new FakeUpstream();
  await using other = new FakeUpstream();
  named.otherwise(json(completion()));
  const [port, adminPort] = [freePort(), freePort()];
  const config = join(folder, "svc.json");
  const unnamed = { id: "unnamed", quality: 1, baseUrl: other.baseUrl };
  const models = labConfig({ id: "named", quality: 0.1, baseUrl: named.baseUrl }, unnamed);
  await Deno.writeTextFile(config, JSON.stringify(models));
  const words = (await documented()).map((word) =>
    word.replace("127.0.0.1:8787", `127.0.0.1:${port}`)
      .replace("127.0.0.1:8788", `127.0.0.1:${adminPort}`)
      .replace("api.openai.com:443", `127.0.0.1:${named.port}`)
      .replaceAll("/var/lib/svc", folder)
      .replace("/etc/svc/svc.json", config)
      // The fixed secrets of tests, and ports that the page leaves at their defaults.
      .replace("--allow-env=", "--allow-env=SERVICE_ADMIN_TOKEN,SERVICE_BOOTSTRAP_KEY,")
  );
  const ports = ["--port", `${port}`, "--admin-port", `${adminPort}`];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...words, ...ports],
    cwd: ROOT,
    clearEnv: true,
    env: {
      ...platformEnv(),
      SERVICE_KV_PATH: join(folder, "svc.kv"),
      SERVICE_CONFIG: config,
      SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const complained = new Response(child.stderr).text();
  let answer: { model?: string; error?: unknown; metadata?: unknown } = {};
  try {
    const url = `http://127.0.0.1:${port}`;
    await until(async () => {
      const ready = await fetch(`${url}/readyz`).catch(() => undefined);
      await ready?.body?.cancel();
      return ready?.ok === true;
    }, "the service to be ready");
    const response = await fetch(`${url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { "x-api-key": BOOTSTRAP_KEY, "content-type": "application/json" },
      body: JSON.stringify({ model: "auto", messages: QUESTION }),
    });
    answer = await response.json();
  } finally {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
  const log = await complained;
  assertEquals(answer.model, "named", `${JSON.stringify(answer)} ${log}`);
  assertStringIncludes(JSON.stringify(answer.metadata), '"model":"unnamed"');
  assertEquals([named.requests.length, other.connections], [1, 0]);
});
