import { assert, assertEquals, assertMatch } from "@std/assert";
import { PASSPHRASE, type StoreFolder, withStore } from "../../../backup/backup_fixture.ts";
import { Interrupted } from "../../../system/read_secret.ts";
import { withCli } from "../../cli_test_support.ts";
import type { CliIo } from "../../io.ts";
import { createOutputFile } from "../../output/output_file.ts";

/** Runs commands on a store of a few thousand entries. */
async function withCommands(
  test: (
    run: (
      command: string,
      io?: Partial<CliIo>,
    ) => Promise<{ code: number; out: string; err: string }>,
    store: StoreFolder,
  ) => Promise<void>,
): Promise<void> {
  await withStore(async (store) => {
    await withCli(async ({ run }) => {
      const env = { SERVICE_KV_PATH: store.kv };
      await test(
        (command, io) => run(command, { env, createFile: createOutputFile, ...io }),
        store,
      );
    });
  }, 2_000);
}

/** Answers questions in order. */
function answering(...secrets: string[]): Partial<CliIo> {
  return { isTerminal: true, readSecret: () => Promise.resolve(secrets.shift() ?? "") };
}

Deno.test("on a terminal the passphrase is asked for, twice where it is new", async () => {
  await withCommands(async (run, { file }) => {
    const differing = await run(`backup ${file}`, answering(PASSPHRASE, "something else"));
    assertEquals([differing.code, differing.err], [1, "The passphrases differ\n"]);
    const short = await run(`backup ${file}`, answering("short", "short"));
    assertMatch(short.err, /at least 12 characters/);
    assertEquals((await run(`backup ${file}`, answering(PASSPHRASE, PASSPHRASE))).code, 0);
    const restored = await run(`restore ${file} --check`, answering(PASSPHRASE));
    assertEquals([restored.code, restored.err], [0, ""]);
    assertMatch(restored.out, /^books +right$/m);
    const unattended = await run(`restore ${file} --check`);
    assertMatch(unattended.err, /^The backup is sealed: give its passphrase by/);
  });
});

Deno.test("a bar is drawn for each step on a terminal, and none under --json", async () => {
  await withCommands(async (run, { file }) => {
    const screen = { ...answering(PASSPHRASE, PASSPHRASE), progressColumns: 100 };
    const result = await run(`backup ${file} --check`, screen);
    assertEquals(result.code, 0, result.err);
    assertMatch(result.err, /Restoring {2}\d+ %|Restoring 100 %/);
    assertMatch(result.err, /Verifying .* entries/);
    assert(result.err.endsWith("\r\x1b[K"), "the line is taken away");
    const quiet = { ...answering(PASSPHRASE), progressColumns: 100 };
    assertEquals((await run(`restore ${file} --check --json`, quiet)).err, "");
  });
});

Deno.test("options that exclude each other are refused with the usage", async () => {
  await withCommands(async (run, { file, kv }) => {
    const cases: [string, string][] = [
      [`backup ${file} --plain --passphrase-file x`, "Give --plain or --passphrase-file\n"],
      [`backup ${file} --plain --keep 3`, "--keep goes with a folder of backups\n"],
      [`backup ${file} --keep many`, '--keep takes a whole number from 1, not "many"\n'],
    ];
    for (const [command, message] of cases) {
      const { code, err } = await run(command);
      assertEquals([code, err.startsWith(message)], [2, true], err);
    }
    for (const path of [":memory:", "https://kv.example.com"]) {
      const { code, err } = await run(`backup ${kv}.b`, { env: { SERVICE_KV_PATH: path } });
      assertEquals([code, err.includes("is not a file")], [1, true], err);
    }
    const absent = await run(`backup ${file} --passphrase-file nowhere`);
    assertMatch(absent.err, /^Cannot read "nowhere": /);
    const readSecret = () => Promise.reject(new Interrupted("Interrupted"));
    const result = await run(`backup ${file}`, { isTerminal: true, readSecret });
    assertEquals(result, { code: 130, out: "", err: "" });
  });
});
