/**
 * A backup taken while streams run; then the service is killed, and the store restored elsewhere.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ServiceProcess, svc } from "../../fixtures/service_process.ts";
import { until } from "../../fixtures/service.ts";

const KEY = "svc_test_bootstrap_key";
const TOKEN = "svc_test_admin_token_1";
const PASSPHRASE = "a passphrase of the operator";
const CALLERS = 8;
/** Complete responses before the backup begins. */
const ANSWERS = 40;

/** Requests a stream and reads it; returns true when it was complete. */
async function stream(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ model: "auto", stream: true, max_tokens: 200 },
        messages: [{ role: "user", content: "Tell me of the sea" }],
      }),
    });
    const text = await response.text();
    return response.status === 200 && text.endsWith("data: [DONE]\n\n");
  } catch {
    return false;
  }
}

/** Requests streams without a pause until stopped. */
class Load {
  complete = 0;
  #isOver = false;
  readonly #callers: Promise<void>[];

  constructor(url: string) {
    this.#callers = Array.from({ length: CALLERS }, async () => {
      while (!this.#isOver) if (await stream(url)) this.complete++;
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }
}

/** Returns the balance of a wallet in micros after the first entries of a journal. */
function balanceAt(lines: readonly string[], entries: number): bigint {
  return lines.slice(0, entries).map((line) => JSON.parse(line)).reduce(
    (sum, entry) => sum + BigInt(entry.change.replace(".", "")),
    0n,
  );
}

Deno.test("a backup taken under load is restored after a kill: books right, keys valid", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kv = join(folder, "svc.kv");
    const file = join(folder, "svc.backup");
    const secrets = { SERVICE_ADMIN_TOKEN: TOKEN, SERVICE_BOOTSTRAP_KEY: KEY };
    const env = { SERVICE_KV_PATH: kv, SERVICE_BACKUP_KEY: PASSPHRASE, SERVICE_ADMIN_URL: "" };
    const service = await ServiceProcess.start(kv, secrets);
    const load = new Load(service.publicUrl);
    await until(() => load.complete >= ANSWERS, "answers before the backup");
    const result = await svc(["backup", file, "--json"], env);
    assertEquals([result.code, result.stderr], [0, ""]);
    const { journal } = JSON.parse(result.stdout);
    const seen = load.complete;
    await until(() => load.complete >= seen + ANSWERS, "answers after the backup");
    // The whole journal, which continues after the backup's end.
    const exported = await svc(["ledger", "export"], { ...env, SERVICE_ADMIN_TOKEN: TOKEN });
    const lines = exported.stdout.trimEnd().split("\n");
    await service.end("SIGKILL");
    await load.end();

    const restoredKv = join(folder, "elsewhere", "svc.kv");
    const restored = await svc(["restore", file, "--to", restoredKv, "--json"], env);
    assertEquals([restored.code, restored.stderr], [0, ""]);
    const report = JSON.parse(restored.stdout);
    assertEquals([report.entries, report.head], [journal.entries, journal.head]);
    const counts = `${lines.length} lines, ${journal.entries} in the backup: ${exported.stderr}`;
    assert(lines.length > journal.entries && journal.entries > 2 * ANSWERS, counts);

    // The token is in the file beside the store, which was part of the backup.
    const here = { SERVICE_KV_PATH: restoredKv };
    await using again = await ServiceProcess.start(restoredKv);
    const verified = await svc(["ledger", "verify", "--json"], here);
    assertEquals([verified.code, JSON.parse(verified.stdout).problems], [0, []]);
    const after = (await svc(["ledger", "export"], here)).stdout.trimEnd().split("\n");
    // Up to the backup's position the journal is equal; then each open hold is ended.
    const same = (all: readonly string[]) => all.slice(0, journal.entries);
    assertEquals(same(after), same(lines));
    const ended = after.slice(journal.entries, -1).map((line) => JSON.parse(line).kind);
    assertEquals(ended.length, report.openHolds);
    const wallet = await svc(["wallets", "show", "default", "--json"], here);
    const available = BigInt(JSON.parse(wallet.stdout).available.replace(".", ""));
    assertEquals(available, balanceAt(after, after.length - 1));
    assert(await stream(again.publicUrl), "the key of before is valid");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the store of a running service is not restored over", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kv = join(folder, "svc.kv");
    const env = { SERVICE_KV_PATH: kv, SERVICE_BACKUP_KEY: PASSPHRASE };
    await using _service = await ServiceProcess.start(kv);
    const file = join(folder, "svc.backup");
    assertEquals((await svc(["backup", file], env)).code, 0);
    const refused = await svc(["restore", file, "--force"], env);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "another process has it open");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
