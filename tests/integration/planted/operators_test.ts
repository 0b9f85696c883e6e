/**
 * The operator's own ways to look at a service show no secret that was planted in it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { runOnTerminal } from "../../../gateway/cli/terminal.ts";
import { type Finished, svc } from "../../fixtures/service_process.ts";
import { assertAllShown, ConsoleWalk } from "./console_walk.ts";
import { everyOperation } from "./operations.ts";
import { callAll, FEW, leaksIn, Scene, SECRETS, SHOWN } from "./scene.ts";

Deno.test("no answer of the operator's API holds a secret, for any operation", async () => {
  await using scene = await Scene.start({ exports: false });
  await callAll(scene, { models: FEW, calls: 1 });
  const answers = await everyOperation(scene);
  // Refused as well: with the secrets in what was sent.
  const { content } = JSON.parse(await scene.operate("GET", "/catalog"));
  const [first, ...others] = content.upstreams;
  const applied = { id: "late", key: "planted.late-key_18~x" };
  for (const change of [{ kind: "none" }, { baseUrl: "x" }, { apiKeyEnv: "A" }, {}]) {
    const upstreams = [{ ...first, apiKey: applied.key, ...change }, ...others];
    const sent = { content: { ...content, upstreams }, note: "A new key" };
    answers.push(`apply ${await scene.operate("POST", "/catalog/apply", sent)}`);
  }
  assert(answers.at(-1)?.includes('"applied":true'), answers.at(-1));
  answers.push(`show ${await scene.operate("GET", "/catalog")}`);
  answers.push(`changes ${await scene.operate("GET", "/catalog/versions/3/changes")}`);
  for (const answer of answers) {
    assertEquals(leaksIn(answer, { late: applied.key }), [], answer.slice(0, 2_000));
  }
  for (const shown of [SHOWN, "(hidden)", "OPENAI_API_KEY", "at-cohere.good"]) {
    assert(answers.some((answer) => answer.includes(shown)), shown);
  }
  const { stderr } = await scene.service.end("SIGTERM");
  assertEquals(leaksIn(stderr, { late: applied.key }), [], stderr);
});

Deno.test("no page, feed or form of the console holds a secret", async () => {
  await using scene = await Scene.start({ exports: false });
  await callAll(scene, { models: FEW, calls: 1 });
  await everyOperation(scene);
  const walk = await ConsoleWalk.start(scene.service.adminUrl, SECRETS.adminToken);
  await walk.everyPage(["/console", "/console/feeds/requests/tail", await refundPage(scene)]);
  assert(await walk.everyForm() > 20);
  assertAllShown(walk.shown);
  const session = { session: walk.session };
  assert(walk.session.length > 20);
  for (const { address, text } of walk.shown) {
    assertEquals(leaksIn(text, session), [], `${address}\n${text.slice(0, 2_000)}`);
  }
  for (const shown of [SHOWN, "(hidden)", "OPENAI_API_KEY", "at-cohere.good"]) {
    assert(walk.shown.some(({ text }) => text.includes(shown)), shown);
  }
  const { stderr } = await scene.service.end("SIGTERM");
  assertEquals(leaksIn(stderr, session), [], stderr);
  // A deleted target of notifications may still lie in free pages of the file.
  const deleted = ["hookPath", "mailPassword"];
  const stored = leaksIn(await storeText(scene.folder), session)
    .filter((name) => !deleted.includes(name));
  assertEquals(stored, ["inline", "tavily"]);
});

/** The page that refunds a call: few pages of requests are looked at, and most have no charge. */
async function refundPage(scene: Scene): Promise<string> {
  const listed: { requests: readonly { id: string; charged: string | null }[] } = JSON.parse(
    await scene.operate("GET", "/requests?limit=500"),
  );
  const charged = listed.requests.find((request) => Number(request.charged ?? 0) > 0);
  return `/console/requests/${charged?.id}/refund`;
}

/** Every command that only shows, with operands; those that change, or show a new secret, are not run. */
const COMMANDS: readonly (readonly string[])[] = [
  ["catalog", "show"],
  ["catalog", "default"],
  ["catalog", "check"],
  ["catalog", "history"],
  ["apply", "--dry-run", "-f", "CONFIG"],
  ["keys", "list"],
  ["keys", "preview", "--wallet", "default"],
  ["pepper", "show"],
  ["requests"],
  ["requests", "show", "REQUEST"],
  ["routing", "explain", "REQUEST"],
  ["routing", "tasks"],
  ["routing", "export"],
  ["usage"],
  ["models"],
  ["ledger", "verify"],
  ["ledger", "export", "--format", "json"],
  ["vector-stores", "list"],
  ["wallets", "list"],
  ["wallets", "show", "default"],
  ["wallets", "statement", "default"],
  ["doctor"],
];

/** Runs `svc` to its end in this process: its output is the same, and there are dozens of them. */
async function svcHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Finished> {
  let [stdout, stderr] = ["", ""];
  const code = await runOnTerminal(args, {
    env: (name) => env[name],
    names: () => Object.keys(env),
    print: (text) => void (stdout += text),
    complain: (text) => void (stderr += text),
  });
  return { code, stdout, stderr };
}

Deno.test("no command shows a secret, as text or as JSON, beside a service and without one", async () => {
  await using scene = await Scene.start({ exports: false });
  await callAll(scene, { models: FEW, calls: 1 });
  const { requests } = JSON.parse(await scene.operate("GET", "/requests?limit=1"));
  const names = { CONFIG: scene.env.SERVICE_CONFIG ?? "", REQUEST: String(requests[0].id) };
  const env = { ...scene.env, SERVICE_ADMIN_URL: scene.service.adminUrl };
  const run = async (start: typeof svc, args: readonly string[]) => {
    const { code, stderr, stdout } = await start(args, env);
    assertEquals(leaksIn(stdout + stderr), [], `${args.join(" ")}\n${stdout}${stderr}`);
    return { code, stdout, stderr };
  };
  for (const command of COMMANDS) {
    const args = command.map((word) =>
      Object.entries(names).find(([name]) => name === word)?.[1] ?? word
    );
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr } = await run(svcHere, [...args, ...more]);
      // Half of the upstreams refuse: what looks at them fails, and says so.
      const fails = command[1] === "check" || command[0] === "doctor";
      assertEquals(code, fails ? 1 : 0, `${command.join(" ")}\n${stdout}${stderr}`);
      assert(stdout.length > 10, command.join(" "));
    }
  }
  await scene.service.end("SIGTERM");
  const doctor = await run(svc, ["doctor", "--json"]);
  assert(doctor.stdout.includes("at-anthropic.401"), doctor.stdout);
});

Deno.test("backups' readable parts, the store and the process list hold only the documented facts", async () => {
  await using scene = await Scene.start({ exports: false });
  await callAll(scene, { models: FEW, calls: 1 });
  const started = await argumentsOf(scene.service.pid);
  assert(started.includes("serve"), started);
  assertEquals(leaksIn(started), []);
  const passphrase = join(scene.folder, "passphrase");
  await Deno.writeTextFile(passphrase, SECRETS.passphrase);
  const sealed = join(scene.folder, "sealed.backup");
  const plain = join(scene.folder, "plain.backup");
  const texts: string[] = [];
  for (const args of [[sealed, "--passphrase-file", passphrase], [plain, "--plain"]]) {
    const { code, stdout, stderr } = await svc(["backup", ...args], scene.env);
    assertEquals(code, 0, stderr);
    texts.push(stdout + stderr);
  }
  assertEquals(leaksIn(texts.join("\n")), []);
  assertEquals(leaksIn(await bytesOf(sealed)), []);
  // What an operator writes into the configuration itself is part of the store, as is documented: that
  // it is found, there and in what a plain backup holds, shows that the search finds what is there.
  assertEquals(leaksIn(await storeText(scene.folder)), ["inline", "tavily"]);
  const unpacked = join(scene.folder, "restored");
  await Deno.mkdir(unpacked);
  const to = join(unpacked, "svc.kv");
  const { code, stdout, stderr } = await svc(["restore", plain, "--to", to], scene.env);
  assertEquals([code, leaksIn(stdout + stderr)], [0, []], stderr);
  assertEquals(leaksIn(await storeText(unpacked)), ["inline", "tavily"]);
});

/** Returns the arguments of a process, which every user of the machine may read. */
async function argumentsOf(pid: number): Promise<string> {
  try {
    const args = ["-ww", "-o", "args=", "-p", String(pid)];
    const { stdout } = await new Deno.Command("ps", { args }).output();
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.warn("Not tested: there is no ps here");
    return "serve";
  }
}

async function bytesOf(path: string): Promise<string> {
  return new TextDecoder("latin1").decode(await Deno.readFile(path));
}

/** Every byte of the store's files, free pages and the log ahead included. */
async function storeText(folder: string): Promise<string> {
  let text = "";
  for await (const { name } of Deno.readDir(folder)) {
    if (/^svc\.kv(?:-wal|-shm|\.lock)?$/.test(name)) text += await bytesOf(join(folder, name));
  }
  return text;
}
