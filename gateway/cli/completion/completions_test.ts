/**
 * The completions in the shells themselves, for lines as an operator types them. Tests of a shell
 * that is not installed say so and are ignored.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { withCli } from "../cli_test_support.ts";

/** Returns the completion script of a shell. */
async function scriptOf(shell: string): Promise<string> {
  let script = "";
  await withCli(async ({ run }) => {
    const { code, out, err } = await run(`completions ${shell}`);
    assertEquals([code, err], [0, ""]);
    script = out;
  });
  return script;
}

/** Runs bash: its completion is a function over the words of the line. */
const BASH = `source "$1"
complete -p svc >/dev/null || exit 1
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"$line"
  [[ "$line" == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _svc
  printf '%s\\n' "\${COMPREPLY[@]}" "#"
done`;

/** Runs zsh in a terminal with its own completion system, and records the candidates. */
const ZSH = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; script=\${(q)1} out=\${(q)2}"
zpty -w shell 'autoload -Uz compinit && compinit -u -D && source $script
compadd() {
  local -a hits
  builtin compadd -O hits "$@"
  (( $#hits )) && print -rl -- $hits >>$out
  builtin compadd "$@"
}
finish() { print -r -- "#end" >>$out }
ask() { comppostfuncs=(finish); zle complete-word; BUFFER=; CURSOR=0 }
zle -N ask; bindkey "^I" ask; LISTMAX=1000'
while IFS= read -r line; do
  : >$2
  zpty -w -n shell "$line"$'\\t'
  for turn in {1..600}; do
    zpty -r -t shell output 2>/dev/null
    grep -q '^#end' $2 && break
    sleep 0.05
  done
  sort -u $2 | grep -v '^#end'
  print -r -- "#"
done
zpty -d shell`;

const FISH = `source $argv[1]
while read -l line
  complete -C "$line" | string replace -r '\\t.*' ''
  echo "#"
end`;

const ASKED: Readonly<Record<string, readonly string[]>> = {
  bash: ["--norc", "-c", BASH, "bash"],
  zsh: ["-f", "-c", ZSH, "zsh"],
  fish: ["--no-config", "-c", FISH],
};

/** Returns the offers of a shell for each line, in a folder with a file `policy.json`. */
async function offered(shell: string, lines: readonly string[]): Promise<readonly string[][]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "policy.json"), "");
    await Deno.mkdir(join(folder, ".bin"));
    await Deno.writeTextFile(join(folder, ".bin", "svc"), ASKED_SVC, { mode: 0o755 });
    const [script, out] = [join(folder, ".script"), join(folder, ".out")];
    await Deno.writeTextFile(script, await scriptOf(shell));
    const { code, stdout, stderr } = await answerOf(shell, {
      args: [...ASKED[shell] ?? [], script, ...shell === "zsh" ? [out] : []],
      cwd: folder,
      lines,
    });
    const text = new TextDecoder().decode(stdout);
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""], `${shell}: ${text}`);
    const answers = text.split(/^#$/m).slice(0, lines.length);
    return answers.map((answer) => answer.split("\n").filter(Boolean).toSorted());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function answerOf(
  shell: string,
  { args, cwd, lines }: { args: string[]; cwd: string; lines: readonly string[] },
): Promise<Deno.CommandOutput> {
  const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const env = { PATH: `${join(cwd, ".bin")}:${Deno.env.get("PATH")}` };
  const child = new Deno.Command(shell, { args, cwd, env, ...piped }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
  await writer.close();
  return await child.output();
}

async function isHere(shell: string): Promise<boolean> {
  try {
    return (await new Deno.Command(shell, { args: ["-c", "exit 0"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A stand-in for the command by which the scripts list names. */
const ASKED_SVC = `#!/bin/sh
test "$1" = completions && printf '%s-1\\n%s-2\\n' "$2" "$2"
`;

/** Lines with their exact offers. */
const EXACTLY: Readonly<Record<string, readonly string[]>> = {
  "svc wal": ["wallets"],
  "svc --": ["--help", "--version"],
  "svc ledger ": ["export", "verify"],
  "svc ledger export --form": ["--format"],
  "svc ledger export --format ": ["csv", "json", "ndjson"],
  "svc usage --by m": ["model"],
  "svc serve --kv": ["--kv-path"],
  "svc completions z": ["zsh"],
  "svc wallets create --note ": [],
  "svc requests ": ["refund", "show"],
  "svc requests --si": ["--since"],
  "svc requests --since 7d --mo": ["--model"],
  "svc requests show --k": [],
  "svc keys content-log key_1 ": ["off", "on"],
  "svc wallets low-balance team t": ["tenth"],
  "svc wallets credit keys cre": [],
  "svc help led": ["ledger"],
  "svc help ledger ": ["export", "verify"],
  "svc keys create --policy pol": ["policy.json"],
  "svc backup pol": ["policy.json"],
  "svc apply -f pol": ["policy.json"],
  "svc ledger export -o pol": ["policy.json"],
  "svc keys show ": ["keys-1", "keys-2"],
  "svc wallets credit ": ["wallets-1", "wallets-2"],
  "svc requests show req": ["requests-1", "requests-2"],
  "svc requests --key ": ["keys-1", "keys-2"],
  "svc keys create --wallet wallets-2": ["wallets-2"],
  "svc catalog rollback ": ["versions-1", "versions-2"],
};

/** Lines with some of their offers. */
const AMONG: Readonly<Record<string, readonly string[]>> = {
  "svc ": ["serve", "wallets", "backup", "doctor", "completions", "help"],
  "svc help ": ["serve", "wallets", "backup", "doctor", "completions"],
  "svc keys ": ["create", "preview", "rotate"],
  "svc keys preview --": ["--policy", "--wallet", "--narrows", "--json", "--help"],
  "svc ledger export --": ["--since", "--format", "--output", "--json"],
};

for (const shell of Object.keys(ASKED)) {
  const ignore = !await isHere(shell);
  if (ignore) console.warn(`No ${shell} here: its completion is NOT tested; install it`);
  Deno.test({
    name: `${shell} completes commands, verbs, flags, values and files`,
    ignore,
    async fn() {
      const lines = [...Object.keys(EXACTLY), ...Object.keys(AMONG)];
      const answers = new Map((await offered(shell, lines)).map((all, at) => [lines[at], all]));
      for (const [line, expected] of Object.entries(EXACTLY)) {
        assertEquals(answers.get(line), expected, `${shell}: "${line}"`);
      }
      for (const [line, expected] of Object.entries(AMONG)) {
        const missing = expected.filter((word) => !answers.get(line)?.includes(word));
        assertEquals(missing, [], `${shell}: "${line}"`);
      }
    },
  });
}

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

Deno.test("svc completions names what a running service has, for the scripts", async () => {
  await withCli(async ({ run, json }) => {
    const { id } = await json("keys create --name app --wallet team");
    const output = async (kind: string) => (await run(`completions ${kind}`)).out;
    assertEquals(await output("keys"), `${id}\n`);
    assertEquals(await output("wallets"), "team\n");
    assertEquals(await output("models"), "fast-mini\nslow-maxi\n");
    assertEquals(await output("versions"), "1\n");
    assertStringIncludes(await output("tiers"), "standard\n");
    const store = await json("vector-stores create handbook --wallet team");
    assertEquals(await output("stores"), `${store.id}\n`);
    assertEquals(await output("providers"), "lab\n");
    assertEquals(await output("requests"), "");
  });
});
