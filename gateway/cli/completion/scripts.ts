/**
 * Completion scripts of `svc`. Bash and zsh share their decisions, which depend on the position of
 * the cursor, counted in words after `svc`, on the one or two words of the command, and on the word
 * before. Words are offered if a word is expected; flags if one was begun, or nothing else is
 * known.
 *
 * @module
 */

import type { NameSource } from "./names.ts";

/** Completions of a command. */
export interface Completed {
  readonly head: string;
  /** Empty for a command of one word. */
  readonly verb: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Words or names for each operand; none for free text. */
  readonly choices: readonly (readonly string[] | NameSource)[];
  /** True when an operand is a file. */
  readonly takesFile: boolean;
}

/** An option of a command. */
export interface Flag {
  readonly name: string;
  readonly short: string | undefined;
  readonly help: string;
  readonly value: "none" | "any" | "file" | { readonly names: NameSource } | readonly string[];
}

const EVERYWHERE = ["--help", "--version"];

/** For bash: `source <(svc completions bash)`. */
export function bash(commands: readonly Completed[]): string {
  const say = (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`;
  const files = 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))';
  return `# bash completion of svc: source <(svc completions bash)
_svc() {
  local at=$COMP_CWORD cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local head="" verb=""
  COMPREPLY=()
  ((at > 1)) && head="\${COMP_WORDS[1]}"
  ((at > 2)) && verb="\${COMP_WORDS[2]}"
${decision(commands, { say, files })}}
complete -F _svc svc
`;
}

/** For zsh: sourced, or a file `_svc` in `$fpath`. */
export function zsh(commands: readonly Completed[]): string {
  return `#compdef svc
# zsh completion of svc: source <(svc completions zsh), or a file "_svc" in $fpath
_svc() {
  local -i at=$((CURRENT - 1))
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" head="" verb=""
  ((at > 1)) && head="\${words[2]}"
  ((at > 2)) && verb="\${words[3]}"
${decision(commands, { say: (words) => `compadd -- \${=:-${words}}`, files: "_files" })}}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`;
}

/** Syntax of a shell for offering words and files. */
interface Voice {
  readonly say: (words: string) => string;
  readonly files: string;
}

function decision(commands: readonly Completed[], { say, files }: Voice): string {
  const heads = headsOf(commands).join(" ");
  return `  local offer="" flags="" group="" files=0
  case "$prev" in
${valueCases(commands, { say, files })}  esac
  case "$head $verb" in
${commandCases(commands)}  esac
  case "$at $head" in
    "1 ") offer="${heads} ${EVERYWHERE.join(" ")}" ;;
    "2 help") offer="${heads}" ;;
    "3 help") group="$verb" ;;
    "2 "*) group="$head" ;;
  esac
  case "$group" in
${verbCases(commands)}  esac
  if [[ "$cur" == -* ]] || { ((files == 0)) && [[ -z "$offer" ]]; }; then
    ${say("$offer $flags")}
  elif ((files)); then
    ${files}
  else
    ${say("$offer")}
  fi
`;
}

/**
 * Returns cases over the word before: values of flags. Each flag has one meaning in all commands.
 */
function valueCases(commands: readonly Completed[], { say, files }: Voice): string {
  const flags = commands.flatMap(({ flags }) => flags).filter(({ value }) => value !== "none");
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()].map((flag) => {
    const action = flag.value === "file"
      ? files
      : typeof flag.value === "string"
      ? ":"
      : say("names" in flag.value ? namesCommand(flag.value.names) : flag.value.join(" "));
    return `    ${spellings(flag).join("|")}) ${action}; return ;;\n`;
  }).join("");
}

/** Returns cases over `head verb`; a command of one word comes after those that begin with it. */
function commandCases(commands: readonly Completed[]): string {
  const ordered = commands.toSorted((a, b) => Number(a.verb === "") - Number(b.verb === ""));
  return ordered.map(({ head, verb, flags, choices, takesFile }) => {
    const pattern = verb === "" ? `"${head} "*` : `"${head} ${verb}"`;
    const chosen = choices.flatMap((words, index) =>
      words.length === 0
        ? []
        : [` ((at == ${firstOperand(verb) + index})) && offer="${offered(words)}";`]
    );
    const offer = `flags="${flags.flatMap(spellings).join(" ")}"; files=${takesFile ? 1 : 0};`;
    return `    ${pattern}) ${offer}${chosen.join("")} ;;\n`;
  }).join("");
}

function verbCases(commands: readonly Completed[]): string {
  return headsOf(commands).flatMap((head) => {
    const verbs = verbsOf(head, commands);
    return verbs.length === 0 ? [] : [`    ${head}) offer="${verbs.join(" ")}" ;;\n`];
  }).join("");
}

/** For fish: `svc completions fish | source`. */
export function fish(commands: readonly Completed[]): string {
  const heads = headsOf(commands);
  return [
    "# fish completion of svc: svc completions fish | source",
    FISH_FUNCTIONS,
    "complete -c svc -f",
    ...EVERYWHERE.map((flag) => fishLine("__svc_words 1", `-l ${flag.slice(2)}`)),
    ...heads.map((head) => {
      const group = commands.filter((one) => one.head === head);
      const own = group.find(({ verb }) => verb === "");
      const summary = own?.summary ?? verbsOf(head, commands).join(", ");
      return fishLine("__svc_words 1", `-a ${head} -d ${quoted(summary)}`);
    }),
    fishLine("__svc_words 2; and __svc_is help", `-a ${quoted(heads.join(" "))}`),
    ...heads.map((head) => {
      const verbs = verbsOf(head, commands).join(" ");
      return fishLine(`__svc_words 3; and __svc_is help ${head}`, `-a ${quoted(verbs)}`);
    }),
    ...commands.flatMap((command) => fishCommand(command, verbsOf(command.head, commands))),
    "",
  ].join("\n");
}

const FISH_FUNCTIONS = `function __svc_words -d 'True for this number of words before the cursor'
  test (count (commandline -opc)) -eq $argv[1]
end
function __svc_is -d 'True if these words follow svc'
  set -l said (commandline -opc)
  set -l last (math (count $argv) + 1)
  test (count $said) -ge $last; and test "$said[2..$last]" = "$argv"
end`;

function fishCommand(
  { head, verb, summary, flags, choices, takesFile }: Completed,
  verbs: readonly string[],
): string[] {
  const others = verb === "" ? verbs.map((other) => `; and not __svc_is ${head} ${other}`) : [];
  const here = `__svc_is ${`${head} ${verb}`.trim()}${others.join("")}`;
  return [
    ...verb === ""
      ? []
      : [fishLine(`__svc_words 2; and __svc_is ${head}`, `-a ${verb} -d ${quoted(summary)}`)],
    ...choices.flatMap((words, index) => {
      const place = firstOperand(verb) + index;
      return words.length === 0
        ? []
        : [fishLine(`__svc_words ${place}; and ${here}`, `-a ${quoted(fishOffer(words))}`)];
    }),
    ...takesFile ? [fishLine(here, "-F")] : [],
    ...flags.map((flag) => fishLine(here, fishFlag(flag))),
  ];
}

function fishLine(condition: string, rest: string): string {
  return `complete -c svc -n ${quoted(condition)} ${rest}`;
}

function fishFlag({ name, short, help, value }: Flag): string {
  const takes = value === "none"
    ? ""
    : value === "file"
    ? " -r -F"
    : value === "any"
    ? " -x"
    : ` -x -a ${quoted(fishOffer("names" in value ? value.names : value))}`;
  return `-l ${name}${short === undefined ? "" : ` -s ${short}`}${takes} -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/**
 * Returns the command by which a shell lists names; it prints nothing without a running service.
 */
function namesCommand(source: NameSource): string {
  return `$(${question(source)})`;
}

function question(source: NameSource): string {
  return `svc completions ${source} 2>/dev/null`;
}

function offered(words: readonly string[] | NameSource): string {
  return typeof words === "string" ? namesCommand(words) : words.join(" ");
}

function fishOffer(words: readonly string[] | NameSource): string {
  return typeof words === "string" ? `(${question(words)})` : words.join(" ");
}

function headsOf(commands: readonly Completed[]): string[] {
  return [...new Set(commands.map(({ head }) => head))];
}

function verbsOf(head: string, commands: readonly Completed[]): string[] {
  return commands.flatMap((one) => one.head === head && one.verb !== "" ? [one.verb] : []);
}

/** Returns the spellings of a flag. */
function spellings({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** Returns the position of a command's first operand, in words after `svc`. */
function firstOperand(verb: string): number {
  return verb === "" ? 2 : 3;
}
