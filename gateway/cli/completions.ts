/**
 * What a shell needs to complete the commands of `svc`, made from the table of commands.
 *
 * @module
 */

import { SERVE_FLAGS } from "../service/settings.ts";
import { type Command, type OptionName, OPTIONS, type OptionSpec, type Output } from "./command.ts";
import { UsageError } from "./io.ts";

/** The command, and what completes it, for one shell. */
const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `svc completions`, over all commands, itself among them. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    words: "completions",
    operands: [Object.keys(SHELLS).join("|")],
    required: [],
    options: [],
    summary: "Print what completes svc in a shell: source <(svc completions bash)",
    run: ({ operands: [shell = ""] }) => Promise.resolve(print(shell, commands())),
  };
}

function print(shell: string, commands: readonly Command[]): Output {
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (write === undefined) {
    const known = Object.keys(SHELLS).join(", ");
    throw new UsageError(`There is no completion for "${shell}": choose one of ${known}`);
  }
  const script = write(commands.map(completed));
  return { json: { shell, script }, text: () => script };
}

/** What can follow a command. */
interface Completed {
  readonly head: string;
  /** Empty where the command is one word. */
  readonly verb: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Words that its first operand is chosen from. */
  readonly choices: readonly string[];
  /** Whether an operand is a file. */
  readonly takesFile: boolean;
}

interface Flag {
  readonly name: string;
  readonly short: string | undefined;
  readonly help: string;
  readonly value: "none" | "any" | "file" | readonly string[];
}

function completed({ words, operands, required, options, summary }: Command): Completed {
  const [head = "", verb = ""] = words.split(" ");
  const names: readonly OptionName[] = [...required, ...options, "json", "help"];
  const flags = words === "serve" ? SERVE_FLAGS.map(serveFlag) : names.map(flagOf);
  return {
    ...{ head, verb, summary, flags },
    choices: choicesIn(operands[0] ?? ""),
    takesFile: operands.some((operand) => /^FILE/.test(operand)),
  };
}

function flagOf(name: OptionName): Flag {
  const { type, short, value = "", help }: OptionSpec = OPTIONS[name];
  const choices = choicesIn(value);
  const kind = type === "boolean"
    ? "none"
    : choices.length > 0
    ? choices
    : /^(FILE|PATH)$/.test(value)
    ? "file"
    : "any";
  return { name, short, help, value: kind };
}

function serveFlag(name: string): Flag {
  const value = /path|config/.test(name) ? "file" : "any";
  return { name, short: undefined, help: "A setting of the service", value };
}

/** The words of `key|model|day`. */
function choicesIn(value: string): string[] {
  return /^[a-z]+(\|[a-z]+)+$/.test(value) ? value.split("|") : [];
}

function headsOf(commands: readonly Completed[]): string[] {
  return [...new Set(commands.map(({ head }) => head))];
}

function verbsOf(head: string, commands: readonly Completed[]): string[] {
  return commands.flatMap((one) => one.head === head && one.verb !== "" ? [one.verb] : []);
}

/** How a flag is written. */
function written({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** Every flag once, with what its value is: one meaning wherever it appears. */
function valued(commands: readonly Completed[]): Flag[] {
  const flags = commands.flatMap(({ flags }) => flags).filter(({ value }) => value !== "none");
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()];
}

/** Cases of a shell's `case` over the word before; `say` writes words, `files` asks for files. */
function valueCases(commands: readonly Completed[], say: (words: string) => string, files: string) {
  return valued(commands).map((flag) => {
    const action = flag.value === "file"
      ? files
      : typeof flag.value === "string"
      ? ":"
      : say(flag.value.join(" "));
    return `    ${written(flag).join("|")}) ${action}; return ;;\n`;
  }).join("");
}

/** Cases over `head verb`. */
function commandCases(commands: readonly Completed[]): string {
  return commands.map(({ head, verb, flags, choices, takesFile }) => {
    const words = [...flags.flatMap(written), ...choices].join(" ");
    const pattern = verb === "" ? `"${head} "*` : `"${head} ${verb}"`;
    return `    ${pattern}) offer="${words}"; files=${takesFile ? 1 : 0} ;;\n`;
  }).join("");
}

function verbCases(commands: readonly Completed[]): string {
  return headsOf(commands).flatMap((head) => {
    const verbs = verbsOf(head, commands);
    return verbs.length === 0 ? [] : [`      ${head}) offer="${verbs.join(" ")}" ;;\n`];
  }).join("");
}

function bash(commands: readonly Completed[]): string {
  const say = (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`;
  const files = 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))';
  return `# bash completion of svc: source <(svc completions bash)
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local head="" verb="" offer="" files=0
  COMPREPLY=()
  ((COMP_CWORD > 1)) && head="\${COMP_WORDS[1]}"
  ((COMP_CWORD > 2)) && verb="\${COMP_WORDS[2]}"
  case "$prev" in
${valueCases(commands, say, files)}  esac
  case "$head $verb" in
    " ") offer="${[...headsOf(commands), "--help", "--version"].join(" ")}" ;;
${commandCases(commands)}  esac
  if ((COMP_CWORD == 2)); then
    case "$head" in
${verbCases(commands)}    esac
  fi
  if ((files)) && [[ "$cur" != -* ]]; then
    ${files}
  else
    ${say("$offer")}
  fi
}
complete -F _svc svc
`;
}

function zsh(commands: readonly Completed[]): string {
  const say = (words: string) => `compadd -- ${words}`;
  return `#compdef svc
# zsh completion of svc: source <(svc completions zsh), or a file "_svc" in $fpath
_svc() {
  local prev="\${words[CURRENT-1]}" cur="\${words[CURRENT]}" head="" verb="" files=0
  (( CURRENT > 2 )) && head="\${words[2]}"
  (( CURRENT > 3 )) && verb="\${words[3]}"
  case "$prev" in
${valueCases(commands, say, "_files")}  esac
  local offer=""
  case "$head $verb" in
    " ") offer="${[...headsOf(commands), "--help", "--version"].join(" ")}" ;;
${commandCases(commands)}  esac
  if (( CURRENT == 3 )); then
    case "$head" in
${verbCases(commands)}    esac
  fi
  if (( files )) && [[ "$cur" != -* ]]; then
    _files
  else
    compadd -- \${=offer}
  fi
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`;
}

function fish(commands: readonly Completed[]): string {
  const lines = ["# fish completion of svc: svc completions fish | source", "complete -c svc -f"];
  for (const head of headsOf(commands)) {
    const group = commands.filter((one) => one.head === head);
    const [first] = group;
    const summary = first?.verb === "" ? first.summary : verbsOf(head, commands).join(", ");
    lines.push(`complete -c svc -n __fish_use_subcommand -a ${head} -d ${quoted(summary)}`);
  }
  for (const { head, verb, summary, flags, choices, takesFile } of commands) {
    const inHead = `__fish_seen_subcommand_from ${head}`;
    const verbs = verbsOf(head, commands).join(" ");
    const inCommand = verb === "" ? inHead : `${inHead}; and __fish_seen_subcommand_from ${verb}`;
    if (verb !== "") {
      const open = `${inHead}; and not __fish_seen_subcommand_from ${verbs}`;
      lines.push(`complete -c svc -n ${quoted(open)} -a ${verb} -d ${quoted(summary)}`);
    }
    const about = `complete -c svc -n ${quoted(inCommand)}`;
    if (choices.length > 0) lines.push(`${about} -a ${quoted(choices.join(" "))}`);
    if (takesFile) lines.push(`${about} -F`);
    for (const flag of flags) lines.push(`${about} ${fishFlag(flag)}`);
  }
  return `${lines.join("\n")}\n`;
}

function fishFlag({ name, short, help, value }: Flag): string {
  const takes = value === "none"
    ? ""
    : value === "file"
    ? " -r -F"
    : value === "any"
    ? " -x"
    : ` -x -a ${quoted(value.join(" "))}`;
  return `-l ${name}${short === undefined ? "" : ` -s ${short}`}${takes} -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
