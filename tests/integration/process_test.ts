/**
 * The first start, later starts, and the end, as an operator sees them.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { formatCredits, parseCredits } from "../../gateway/domain/ledger/money.ts";
import { credentialsPath } from "../../gateway/system/credentials.ts";
import { ServiceProcess, shell, svc } from "../fixtures/service_process.ts";
import { until } from "../fixtures/service.ts";

/** A folder that goes with its scope. */
async function folder() {
  const path = await Deno.makeTempDir();
  return {
    kv: join(path, "svc.kv"),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** The secrets that a first start left beside the store: its output is no terminal. */
async function secretsAt(kv: string): Promise<{ key: string; token: string }> {
  const key = (await Deno.readTextFile(join(dirname(kv), "first.key"))).trimEnd();
  const { token } = JSON.parse(await Deno.readTextFile(credentialsPath(kv) ?? ""));
  return { key, token };
}

/** Runs what an operator pastes: the `curl` line and the SDK snippet that a first start printed. */
async function assertPasteable(stdout: string, before = ""): Promise<void> {
  const curl = stdout.split("\n").find((line) => line.startsWith("curl "));
  const answered = await shell(`${before}${curl ?? "exit 9"}`);
  assertEquals(answered.code, 0, answered.stderr);
  assertStringIncludes(JSON.parse(answered.stdout).choices[0].message.content, "Say hello");
  const snippet = /^npx --yes deno@2\.9\.6 (run [\s\S]*?^EOF)$/m.exec(stdout)?.[1]
    ?.replace(/^/, "deno ");
  const ran = await shell(`${before}${snippet ?? "exit 9"}`);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "Say hello");
  assertStringIncludes(ran.stdout, "charged");
}

function chat(service: ServiceProcess, key: string, body: Record<string, unknown> = {}) {
  return fetch(`${service.publicUrl}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "auto",
      messages: [{ role: "user", content: "Say hello" }],
      ...body,
    }),
  });
}

Deno.test("a first start into a log leaves its secrets in files, and prints calls that work as pasted", async () => {
  await using at = await folder();
  await using service = await ServiceProcess.start(at.kv);
  const { key, token } = await secretsAt(at.kv);
  assertMatch(key, /^svc_live_[A-Za-z0-9_]+$/);
  for (const secret of [key, token]) assertFalse(service.stdout.includes(secret));
  const paths = [join(dirname(at.kv), "first.key"), credentialsPath(at.kv) ?? ""];
  for (const path of paths) {
    assertStringIncludes(service.stdout, path);
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  }
  await assertPasteable(service.stdout);
});

Deno.test("secrets that the operator gave are neither printed nor kept in a key's file", async () => {
  await using at = await folder();
  const given = {
    SERVICE_BOOTSTRAP_KEY: `c2VjcmV0"key'\\$(x)==`,
    SERVICE_ADMIN_TOKEN: "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  };
  await using service = await ServiceProcess.start(at.kv, given);
  for (const secret of Object.values(given)) assertFalse(service.stdout.includes(secret));
  for await (const { name } of Deno.readDir(dirname(at.kv))) assertFalse(name.includes(".key"));
  const word = `'${given.SERVICE_BOOTSTRAP_KEY.replaceAll("'", "'\\''")}'`;
  await assertPasteable(service.stdout, `export SERVICE_BOOTSTRAP_KEY=${word}\n`);
  const headers = { authorization: `Bearer ${given.SERVICE_ADMIN_TOKEN}` };
  const about = await fetch(`${service.adminUrl}/admin/v1/service`, { headers });
  assertEquals(about.status, 200, await about.text());
});

Deno.test("a later start prints no secret, and the first one's key still works", async () => {
  await using at = await folder();
  const first = await ServiceProcess.start(at.kv);
  const { key, token } = await secretsAt(at.kv);
  const path = credentialsPath(at.kv) ?? "";
  assertEquals(JSON.parse(await Deno.readTextFile(path)).token, token);
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  const ended = await first.end("SIGTERM");
  assertEquals(ended.code, 0, ended.stderr);
  await using second = await ServiceProcess.start(at.kv);
  for (const secret of [key, token]) assertFalse(second.stdout.includes(secret));
  assertFalse(/API key|Admin token|curl/.test(second.stdout));
  const response = await chat(second, key);
  assertEquals(response.status, 200);
  await response.body?.cancel();
});

Deno.test("a second process on the same store refuses to start and says why", async () => {
  await using at = await folder();
  await using first = await ServiceProcess.start(at.kv);
  const second = await svc(["serve", "--port", "0", "--admin-port", "0", "--kv-path", at.kv], {});
  assertEquals([second.code, second.stdout], [1, ""]);
  assertMatch(
    second.stderr,
    /^Cannot open the store ".*": another process has it open: stop it, or name another file\n$/,
  );
  assertEquals((await fetch(`${first.publicUrl}/healthz`).then((r) => r.text())).length > 0, true);
});

Deno.test("before a start unknown variables are named, with the nearest known one", async () => {
  const { tasks } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  const step = tasks["serve:prepare"].command.split(" && ").at(-1);
  const output = await shell(`export SERVICE_PROT=1 SERVICE_HOST=127.0.0.1\n${step}`);
  assertEquals([output.code, output.stdout], [0, ""], output.stderr);
  assertEquals(
    output.stderr,
    "Unknown variable SERVICE_PROT: it is no setting of svc; the nearest is SERVICE_PORT\n",
  );
});

Deno.test("SIGTERM lets a stream finish, and ends with 0", async () => {
  await using at = await folder();
  await using service = await ServiceProcess.start(at.kv);
  const { key } = await secretsAt(at.kv);
  const response = await chat(service, key, {
    stream: true,
    simulate: { repeat: 40, chunkDelayMs: 10 },
  });
  const text = response.text();
  const ended = await service.end("SIGTERM");
  assertEquals(ended.code, 0, ended.stderr);
  assert((await text).endsWith("data: [DONE]\n\n"));
});

Deno.test("a drain fails the probe first, answers calls, and ends at a second signal", async () => {
  await using at = await folder();
  await using service = await ServiceProcess.start(at.kv, { SERVICE_DRAIN_SECONDS: "300" });
  const { key } = await secretsAt(at.kv);
  service.signal("SIGTERM");
  const probe = async () => {
    const response = await fetch(`${service.publicUrl}/readyz`);
    const { error } = await response.json();
    return [response.status, error?.code];
  };
  await until(async () => (await probe())[0] === 503, "the probe to fail");
  assertEquals(await probe(), [503, "shutting_down"]);
  const answer = await chat(service, key);
  await answer.body?.cancel();
  assertEquals(answer.status, 200);
  assertEquals((await service.end("SIGTERM")).code, 0);
});

Deno.test("a second signal breaks off what is in progress, billed, and ends with 0", async () => {
  await using at = await folder();
  await using service = await ServiceProcess.start(at.kv);
  const { key, token } = await secretsAt(at.kv);
  // It would take a quarter of an hour to the end.
  const response = await chat(service, key, {
    stream: true,
    simulate: { repeat: 90_000, chunkDelayMs: 10 },
  });
  let text = "";
  const reading = (async () => {
    const chunks = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
    for await (const chunk of chunks) text += chunk;
  })();
  await until(() => text.split("\n\n").length > 3, "pieces of the answer");
  service.signal("SIGTERM");
  // Calls that come before the signal does are answered, and have their price.
  let besides = 0n;
  await until(async () => {
    const answer = await chat(service, key);
    const { metadata } = await answer.json();
    besides += parseCredits(metadata?.billing?.charged ?? "0") ?? 0n;
    return answer.status === 503;
  }, "the shutdown");
  const ended = await service.end("SIGTERM");
  assertEquals(ended.code, 0, ended.stderr);
  await reading;
  const last = JSON.parse(text.trimEnd().split("\n").at(-1)?.slice("data: ".length) ?? "");
  assertEquals([last.error.code, last.choices], ["shutting_down", []]);
  assert(Number(last.metadata.billing.charged) > 0);
  await using again = await ServiceProcess.start(at.kv);
  const headers = { authorization: `Bearer ${token}` };
  const wallet = await (await fetch(`${again.adminUrl}/admin/v1/wallets/default`, { headers }))
    .json();
  const { charged } = last.metadata.billing;
  const spent = formatCredits((parseCredits(charged) ?? 0n) + besides);
  assertEquals([wallet.held, wallet.spent], ["0.000000", spent]);
});

Deno.test("after kill -9 under load the books verify and no hold is left", async () => {
  await using at = await folder();
  const service = await ServiceProcess.start(at.kv);
  const { key, token } = await secretsAt(at.kv);
  let answers = 0;
  const client = async (stream: boolean) => {
    for (;;) {
      try {
        await (await chat(service, key, { stream, simulate: { delayMs: 3 } })).text();
        answers++;
      } catch {
        return;
      }
    }
  };
  const clients = Array.from({ length: 8 }, (_, index) => client(index % 2 === 0));
  await until(() => answers > 100, "answers");
  await service.end("SIGKILL");
  await Promise.all(clients);
  await using again = await ServiceProcess.start(at.kv);
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return await (await fetch(`${again.adminUrl}/admin/v1${path}`, { headers })).json();
  };
  const wallet = await get("/wallets/default");
  assertEquals([wallet.held, wallet.credits], ["0.000000", "1000000.000000"]);
  const { problems, openHolds } = await get("/ledger/verify");
  assertEquals([problems, openHolds], [[], 0]);
  const response = await chat(again, key);
  assertEquals(response.status, 200);
  await response.body?.cancel();
});

Deno.test("the command line works with the credentials beside the store", async () => {
  await using at = await folder();
  await using service = await ServiceProcess.start(at.kv);
  const run = async (...args: string[]) => {
    const done = await svc([...args, "--json"], { SERVICE_KV_PATH: at.kv });
    assertEquals([done.code, done.stderr], [0, ""], args.join(" "));
    return JSON.parse(done.stdout);
  };
  const wallet = await run("wallets", "create", "team");
  assertEquals([wallet.id, wallet.credits], ["team", "0.000000"]);
  assertEquals((await run("wallets", "credit", "team", "50")).available, "50.000000");
  const made = await run("keys", "create", "--name", "app", "--wallet", "team");
  assertMatch(made.key, /^svc_live_/);
  const response = await chat(service, made.key);
  const { metadata } = await response.json();
  const requests = await run("requests", "--key", made.id);
  assertStringIncludes(JSON.stringify(requests), metadata.request_id);
  assertStringIncludes(JSON.stringify(await run("usage", "--by", "key")), made.id);
  assertEquals((await run("wallets", "show", "team")).spent, metadata.billing.charged);
  const wrong = await svc(["wallets", "show", "nobody"], { SERVICE_KV_PATH: at.kv });
  assertEquals([wrong.code, wrong.stdout], [1, ""]);
  assertEquals((await svc(["wallets", "shwo"], { SERVICE_KV_PATH: at.kv })).code, 2);
});
