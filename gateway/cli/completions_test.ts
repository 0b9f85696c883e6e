import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { withCli } from "./cli_test_support.ts";

/** The script of a shell, as the command prints it. */
async function scriptOf(shell: string): Promise<string> {
  let script = "";
  await withCli(async ({ run }) => {
    const { code, out, err } = await run(`completions ${shell}`);
    assertEquals([code, err], [0, ""]);
    script = out;
  });
  return script;
}

async function runShell(shell: string, args: string[], cwd?: string): Promise<string | undefined> {
  try {
    const command = new Deno.Command(shell, { args, ...cwd === undefined ? {} : { cwd } });
    const { code, stdout, stderr } = await command.output();
    const said = new TextDecoder().decode(stderr);
    assertEquals([code, said], [0, ""], `${shell} failed: ${said}`);
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.warn(`Not tested: there is no ${shell} here`);
    return undefined;
  }
}

/** What bash offers after these words; the last is being typed. */
async function offered(script: string, words: string[], cwd?: string): Promise<string[]> {
  const ask = [
    script,
    "complete -p svc >/dev/null",
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`,
    '_svc; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join("\n");
  const text = await runShell("bash", ["--norc", "-c", ask], cwd);
  assert(text !== undefined, "bash is needed to test its completion");
  return text.split("\n").filter(Boolean);
}

Deno.test("bash completes commands, verbs, flags and values", async () => {
  const script = await scriptOf("bash");
  const heads = await offered(script, ["svc", ""]);
  for (const head of ["serve", "wallets", "backup", "doctor", "completions", "help", "--version"]) {
    assert(heads.includes(head), head);
  }
  assertEquals(await offered(script, ["svc", "wal"]), ["wallets"]);
  const verbs = await offered(script, ["svc", "ledger", ""]);
  assertEquals(verbs, ["verify", "export"]);
  const flags = await offered(script, ["svc", "ledger", "export", "--"]);
  for (const flag of ["--since", "--format", "--output", "--json"]) assert(flags.includes(flag));
  assertEquals(await offered(script, ["svc", "ledger", "export", "--form"]), ["--format"]);
  assertEquals(await offered(script, ["svc", "ledger", "export", "--format", ""]), [
    ...["ndjson", "csv", "json"],
  ]);
  assertEquals(await offered(script, ["svc", "usage", "--by", "m"]), ["model"]);
  assertEquals(await offered(script, ["svc", "serve", "--kv"]), ["--kv-path"]);
  assertEquals(await offered(script, ["svc", "completions", "z"]), ["zsh"]);
  assertEquals(await offered(script, ["svc", "wallets", "create", "--note", ""]), []);
});

Deno.test("bash completes files where a file is asked for", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "policy.json"), "");
    const script = await scriptOf("bash");
    for (
      const words of [
        ["svc", "keys", "create", "--policy", "pol"],
        ["svc", "backup", "pol"],
        ["svc", "apply", "-f", "pol"],
      ]
    ) assertEquals(await offered(script, words, folder), ["policy.json"], words.join(" "));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("zsh and fish take their scripts", async () => {
  const zsh = await scriptOf("zsh");
  assertStringIncludes(zsh, "compdef _svc svc");
  await runShell("zsh", ["-n", "-c", zsh]);
  const fish = await scriptOf("fish");
  assertMatch(fish, /^complete -c svc -n __fish_use_subcommand -a backup -d '/m);
  // Each text is closed: an odd number of quotes would swallow the next line.
  for (const line of fish.split("\n")) {
    assertEquals((line.replaceAll("\\'", "").match(/'/g) ?? []).length % 2, 0, line);
  }
  const file = await Deno.makeTempFile({ suffix: ".fish" });
  await Deno.writeTextFile(file, fish);
  await runShell("fish", ["--no-execute", file]);
  await Deno.remove(file);
});

Deno.test("every command and flag of the table is in each script", async () => {
  await withCli(async ({ run }) => {
    const { out: overview } = await run("help");
    const commands = [...overview.matchAll(/^ {2}svc ([a-z-]+)(?: ([a-z-]+))?/gm)];
    assert(commands.length > 30);
    for (const shell of ["bash", "zsh", "fish"]) {
      const script = await scriptOf(shell);
      for (const [, head = "", verb = ""] of commands) {
        assertStringIncludes(script, head);
        assertStringIncludes(script, verb);
      }
    }
    const unknown = await run("completions tcsh");
    assertEquals(unknown.code, 2);
    assertMatch(unknown.err, /^There is no completion for "tcsh": choose one of bash, zsh, fish\n/);
  });
});
