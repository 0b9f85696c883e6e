/**
 * `svc doctor` as an operator runs it: beside a service, without one, and with problems.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { Finding } from "../../gateway/doctor/finding.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { type Finished, ServiceProcess, SVC, svc } from "../fixtures/service_process.ts";
import { CONFIGURATION } from "../fixtures/task_flags.ts";
import { freePort } from "../fixtures/free_port.ts";

/** Free ports, so that nothing on the machine interferes; no upstream but the simulator. */
const PORTS = {
  SERVICE_PORT: "0",
  SERVICE_ADMIN_PORT: "0",
  SERVICE_ADMIN_URL: "http://127.0.0.1:1",
};

async function inFolder(test: (folder: string, kv: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder, join(folder, "svc.kv"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const LAB = [
  { id: "lab", kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", apiKey: "none" },
];

function findingsOf({ stdout }: Finished): Map<string, Finding> {
  const findings: readonly Finding[] = JSON.parse(stdout).findings;
  return new Map(findings.map((finding) => [finding.check, finding]));
}

async function writeConfig(folder: string, change: object = {}): Promise<string> {
  const path = join(folder, "svc.json");
  const tier = {
    ...{ id: "standard", creditsPerUsd: "1000", models: "*", orchestration: "off" },
    ...{ name: { en: "s", zh: "s" }, description: { en: "s", zh: "s" } },
  };
  const model = {
    ...{ id: "m", upstream: "lab", upstreamModel: "m", endpoints: ["chat"], quality: 0.5 },
    ...{ contextTokens: 1_000, maxOutputTokens: 100, sku: "text", featureTags: [] },
    ...{ industryPacks: [], description: { en: "m", zh: "m" } },
    price: { inputPerMTok: "1", outputPerMTok: "1", currency: "USD" },
  };
  const config = { upstreams: [], models: [model], tiers: [tier], ...change };
  await Deno.writeTextFile(path, JSON.stringify(config));
  return path;
}

Deno.test("beside a running service svc doctor asks it, and warns of what is missing", async () => {
  await inFolder(async (_folder, kv) => {
    await using service = await ServiceProcess.start(kv);
    const env = { SERVICE_KV_PATH: kv };
    const examined = await svc(["doctor", "--json"], env);
    assertEquals([examined.code, examined.stderr], [0, ""]);
    const findings = findingsOf(examined);
    for (const check of ["service", "permissions", "store", "file modes", "books", "pepper"]) {
      assertEquals(findings.get(check)?.status, "ok", check);
    }
    assertEquals(findings.get("upstream sim")?.status, "ok");
    assertEquals(findings.get("backup")?.message, "No backup is known");
    const strict = await svc(["doctor", "--strict"], env);
    assertEquals([strict.code, strict.stderr], [1, "There are warnings\n"]);
    assertMatch(strict.stdout, /^ok {7}service: svc \S+ is running\n/);
    assertMatch(strict.stdout, /^WARNING {2}backup: No backup is known\n {9}-> run `svc backup`/m);
    const refused = await svc(["doctor", "--json"], {
      ...env,
      SERVICE_ADMIN_TOKEN: "svc_wrong_admin_token",
    });
    assertEquals([refused.code, findingsOf(refused).get("service")?.status], [1, "failure"]);
    assert(service.adminUrl !== "");
  });
});

Deno.test("svc doctor tells when the store's catalog is not what the file says", async () => {
  await inFolder(async (folder, kv) => {
    const env = {
      SERVICE_KV_PATH: kv,
      SERVICE_CONFIG: await writeConfig(folder, { upstreams: LAB }),
    };
    const catalogOf = async (variables: Record<string, string>) =>
      findingsOf(await svc(["doctor", "--json"], variables)).get("catalog");
    {
      await using _service = await ServiceProcess.start(kv, {}, { config: env.SERVICE_CONFIG });
      assertEquals((await catalogOf(env))?.status, "ok");
      const config = JSON.parse(await Deno.readTextFile(env.SERVICE_CONFIG));
      config.models[0].quality = 0.9;
      await Deno.writeTextFile(env.SERVICE_CONFIG, JSON.stringify(config));
      const { status, message, advice } = await catalogOf(env) ?? {};
      assertEquals(status, "warning");
      assertMatch(message ?? "", /^The store's catalog, version 1, differs from ".*" in 1 place, /);
      assertMatch(message ?? "", /models\.m\.quality; the store is in force$/);
      assertMatch(advice ?? "", /svc apply -f .* --dry-run/);
    }
    // The same without the service.
    assertEquals((await catalogOf({ ...PORTS, ...env }))?.status, "warning");
  });
});

Deno.test("without a service svc doctor reads the store, and leaves it unchanged", async () => {
  await inFolder(async (_folder, kv) => {
    const env = { ...PORTS, SERVICE_KV_PATH: kv };
    const before = await svc(["doctor", "--json"], env);
    assertEquals([before.code, before.stderr], [0, ""]);
    assertEquals(findingsOf(before).get("store")?.status, "skipped");
    const stores = await openKvStores(kv, { program: "0.0.9" });
    await stores.ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: 1 });
    await stores.close();
    await svc(["backup", `${kv}.b`, "--plain"], env);
    const findings = findingsOf(await svc(["doctor", "--json"], env));
    assertMatch(findings.get("store")?.message ?? "", /^Schema 5, written by svc 0\.0\.9, 1 entr/);
    assertMatch(findings.get("books")?.message ?? "", /^1 wallets agree with 0 open holds/);
    assertMatch(findings.get("backup")?.message ?? "", /^The last is 0 hours old/);
    const names = [...Deno.readDirSync(join(kv, ".."))].map(({ name }) => name).sort();
    assertEquals(names, ["svc.kv", "svc.kv.b", "svc.kv.backup.json", "svc.kv.lock"]);
  });
});

Deno.test("svc doctor says what is wrong, and what to do", async () => {
  await inFolder(async (folder, kv) => {
    await using blocked = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => {
        const headers = { date: "Sun, 22 Nov 2020 00:00:00 GMT" };
        return new Response(null, { status: request.url.endsWith("/models") ? 401 : 200, headers });
      },
    );
    const url = `http://127.0.0.1:${blocked.addr.port}`;
    const kind = "openai-compatible";
    const config = await writeConfig(folder, {
      upstreams: [
        { id: "lab", kind, baseUrl: `${url}/v1`, apiKey: "planted_inline_key" },
        { id: "gone", kind, baseUrl: `http://127.0.0.1:${freePort()}/v1`, apiKey: "none" },
        { id: "bare", kind, baseUrl: `${url}/v1`, apiKeyEnv: "OPENAI_API_KEY" },
      ],
      models: ["lab", "gone", "bare"].map((upstream) => ({
        ...{ id: `m-${upstream}`, upstream, upstreamModel: "m", endpoints: ["chat"], quality: 0.5 },
        ...{ contextTokens: 1_000, maxOutputTokens: 100, sku: "text", featureTags: [] },
        ...{ industryPacks: [], description: { en: "m", zh: "m" } },
        price: { inputPerMTok: "0", outputPerMTok: "0", currency: "USD" },
      })),
    });
    await (await openKvStores(kv)).close();
    const file = await Deno.openKv(kv);
    const { value } = await file.get<object>(["writer"]);
    await file.set(["writer"], { ...value, schema: 7, writtenBy: "9.9.9" });
    file.close();
    await Deno.chmod(kv, 0o644);
    const env = {
      ...{ ...PORTS, SERVICE_KV_PATH: kv, SERVICE_CONFIG: config },
      ...{ SERVICE_PORT: String(blocked.addr.port), OPENAI_API_KEY: "" },
    };
    const examined = await svc(["doctor", "--json"], env);
    assertEquals(examined.code, 1);
    assertMatch(examined.stderr, /^\d+ checks failed\n$/);
    const findings = findingsOf(examined);
    const report = (check: string) => {
      const { status, message, advice } = findings.get(check) ?? {};
      return `${status}: ${message} -> ${advice}`;
    };
    assertMatch(report("port"), /^failure: Cannot listen on .* something listens .*SERVICE_PORT/);
    assertMatch(
      report("store"),
      /^failure: It has schema 7, written by svc 9\.9\.9; .* -> start that/,
    );
    assertMatch(report("file modes"), /^failure: .* -> chmod 600/);
    assertMatch(report("configuration"), /^warning: The file contains a provider's key/);
    assertMatch(report("upstream lab"), /^failure: .*401.* -> check its key/);
    assertMatch(report("upstream gone"), /^failure: .* -> nothing listens there/);
    assertMatch(report("upstream bare"), /^failure: .*OPENAI_API_KEY.* -> set OPENAI_API_KEY/);
    assertMatch(report("prices"), /^warning: Free for every caller: m-lab, m-gone, m-bare/);
    assertMatch(report("clock"), /^failure: This machine's clock is \d+ s ahead -> synchronize it/);
    assertEquals(examined.stdout.includes("planted_inline_key"), false);
    await Deno.writeTextFile(config, '{"upstreems": []}');
    const unknown = findingsOf(await svc(["doctor", "--json"], env)).get("configuration");
    assertMatch(unknown?.message ?? "", /upstreems/);
  });
});

Deno.test("svc doctor reports a process with all permissions", async () => {
  await inFolder(async (_folder, kv) => {
    const everything = ["read", "write", "net", "env", "run", "ffi", "sys"];
    const args = [
      "run",
      "--quiet",
      "--cached-only",
      `--config=${CONFIGURATION}`,
      ...everything.map((name) => `--allow-${name}`),
    ];
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args, SVC.at(-1) ?? "", "doctor", "--json"],
      env: { ...PORTS, SERVICE_KV_PATH: kv },
    });
    const { stdout } = await command.output();
    const text = new TextDecoder().decode(stdout);
    const permissions = findingsOf({ code: 0, stdout: text, stderr: "" }).get("permissions");
    assertMatch(permissions?.message ?? "", /has all permissions, as by -A/);
  });
});

Deno.test("svc doctor reports a missing store that was in use", async () => {
  await inFolder(async (_folder, kv) => {
    await Deno.writeTextFile(`${kv}.admin.json`, "{}", { mode: 0o600 });
    const report = await svc(["doctor", "--json"], { ...PORTS, SERVICE_KV_PATH: kv });
    const finding = findingsOf(report).get("store");
    assertEquals(finding?.status, "failure");
    assertMatch(finding?.message ?? "", /missing or empty/);
  });
});
