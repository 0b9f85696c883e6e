/**
 * Starts on PostgreSQL: exactly one of several makes the first secrets, each has its place, and the
 * password of the URL is nowhere.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { NEWEST_VERSION } from "../../gateway/stores/postgres/migrate.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { ADMIN_TOKEN, TestService } from "../fixtures/service.ts";
import { serveCommand, ServiceProcess, svc } from "../fixtures/service_process.ts";

const bin = await postgresBin();
const PASSWORD = "a-password-that-nothing-shows";
const INSTANCES = 5;

/** Runs a test on an empty database; the URL has a password, which the server does not ask for. */
async function onDatabase(test: (url: string, folder: string) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url } = await newDatabase(server);
  const folder = await Deno.makeTempDir();
  try {
    await test(url.replace("svc@", `svc:${PASSWORD}@`), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function start(url: string): Promise<TestService> {
  return TestService.start({ settings: { store: { kind: "postgres", url } } });
}

const CASES: Readonly<Record<string, (url: string, folder: string) => Promise<void>>> = {
  "of several instances that start together one makes the first secrets": async (url) => {
    const services = await Promise.all(Array.from({ length: INSTANCES }, () => start(url)));
    try {
      const first = services.filter(({ printed }) => printed.includes("First start"));
      assertEquals(first.length, 1);
      for (const service of services) {
        const response = await service.chat({ messages: [{ role: "user", content: "Hi" }] });
        await response.body?.cancel();
        assertEquals(response.status, 200);
      }
      const { stores } = services[0]?.running ?? {};
      assertEquals(stores?.keys.count(), 1);
      assertEquals((await stores?.ledger.wallet("default"))?.credits, 1_000_000_000_000n);
      const sql = connect(url, { max: 1 });
      const names = await sql<{ name: string }[]>`select name from migration`;
      assertEquals(names.length, NEWEST_VERSION);
      await sql.end();
    } finally {
      for (const service of services) await service[Symbol.asyncDispose]();
    }
  },

  "a process without a place for its secrets does not start, and makes none": async (
    url,
    folder,
  ) => {
    const run = async (env: Record<string, string>) => {
      const args = ["--port", "0", "--admin-port", "0"];
      const command = serveCommand(folder, { args, env: { SERVICE_STORE: url, ...env } });
      const { code, stderr } = await command.output();
      return { code, text: new TextDecoder().decode(stderr) };
    };
    const { code, text } = await run({ SERVICE_ADMIN_TOKEN: ADMIN_TOKEN });
    assertEquals(code, 1);
    assertStringIncludes(text, "SERVICE_CREDENTIALS_FILE");
    assert(!text.includes(PASSWORD));
    const credentials = join(folder, "credentials.json");
    const env = { SERVICE_CREDENTIALS_FILE: credentials };
    const options = { databaseUrl: url };
    await using first = await ServiceProcess.start(join(folder, "unused.kv"), env, options);
    const key = (await Deno.readTextFile(join(folder, "first.key"))).trim();
    for (const path of [credentials, join(folder, "first.key")]) {
      assertEquals((await Deno.stat(path)).mode ?? 0 & 0o777, 0o100600);
    }
    await using second = await ServiceProcess.start(join(folder, "unused.kv"), {}, options);
    const answers = await Promise.all([first, second].map(async ({ publicUrl }) => {
      const response = await fetch(`${publicUrl}/openai/v1/models`, {
        headers: { "x-api-key": key },
      });
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(answers, [200, 200]);
    const shown = await svc(["wallets", "list", "--json"], env);
    assertEquals([shown.code, JSON.parse(shown.stdout).wallets.length], [0, 1]);
    const doctor = await svc(["doctor", "--json"], { ...env, SERVICE_STORE: url });
    assertStringIncludes(doctor.stdout, "PostgreSQL");
    const texts = [first.stdout, second.stdout, doctor.stdout, doctor.stderr];
    for (const one of texts) assert(!one.includes(PASSWORD));
    const backup = await svc(["backup", join(folder, "b")], { ...env, SERVICE_STORE: url });
    assertEquals(backup.code, 1);
    assertStringIncludes(backup.stderr, "pg_dump");
  },

  "a database of a newer version is refused, and named by its version": async (url) => {
    await (await start(url))[Symbol.asyncDispose]();
    const sql = connect(url, { max: 1 });
    await sql`insert into migration (version, name) values (${NEWEST_VERSION + 1}, 'later')`;
    const { message } = await assertRejects(() => start(url), Error);
    assertStringIncludes(message, "newer version");
    await sql.end();
  },

  "a start without a server, user or database says why, without the password": async (url) => {
    const wrong = [url.replace(/:\d+\//, ":9/"), url.replace(/\/\w+$/, "/none")];
    for (const one of [...wrong, url.replace("//svc:", "//nobody:")]) {
      const error = await assertRejects(() => start(one), Error);
      assertEquals(error.message, "The database cannot be used");
      assert(!Deno.inspect(error).includes(PASSWORD));
    }
  },
};

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  for (const [name, prove] of Object.entries(CASES)) {
    Deno.test(name, () => onDatabase(prove));
  }
}
