/**
 * Shell completions of `svc`, generated from the table of commands.
 *
 * @module
 */

import { SERVE_FLAGS } from "../../config/settings.ts";
import {
  type Command,
  meaningOf,
  type OptionName,
  OPTIONS,
  optionsOf,
  type Output,
} from "../command.ts";
import { bash, type Completed, fish, type Flag, zsh } from "./scripts.ts";
import { isNameSource, namesOf, operandSource, OPTION_SOURCES } from "./names.ts";
import { UsageError } from "../failures.ts";
import { printable } from "../output/table.ts";

/** Generators of completion scripts, by shell. */
const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `svc completions`, over all commands, including itself. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    words: "completions",
    operands: [Object.keys(SHELLS).join("|")],
    summary: "Print the completions of svc for a shell: source <(svc completions bash)",
    run: async ({ client, operands: [shell = ""] }) => {
      // The scripts call this for names of a running service.
      if (!isNameSource(shell)) return print(shell, commands());
      const names = await namesOf(shell, client);
      return { json: { names }, text: () => names.map((name) => `${printable(name)}\n`).join("") };
    },
  };
}

function print(shell: string, commands: readonly Command[]): Output {
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (write === undefined) {
    const shells = Object.keys(SHELLS).join(", ");
    throw new UsageError(`There is no completion for "${shell}": choose one of ${shells}`);
  }
  const script = write(commands.map(completed));
  return { json: { shell, script }, text: () => script };
}

function completed(command: Command): Completed {
  const { words, operands = [], summary } = command;
  const [head = "", verb = ""] = words.split(" ");
  const names: readonly OptionName[] = [...optionsOf(command), "json", "help"];
  const flags = words === "serve"
    ? SERVE_FLAGS.map(serveFlag)
    : names.map((name) => flagOf(name, command));
  return {
    ...{ head, verb, summary, flags },
    choices: operands.map((operand) => operandSource(command, operand) ?? choicesIn(operand)),
    takesFile: operands.some((operand) => /^FILE/.test(operand)),
  };
}

function flagOf(name: OptionName, command: Command): Flag {
  const { short, value } = OPTIONS[name];
  const choices = choicesIn(value ?? "");
  const kind = value === undefined
    ? "none"
    : choices.length > 0
    ? choices
    : OPTION_SOURCES[name] !== undefined
    ? { names: OPTION_SOURCES[name] }
    : /^(FILE|PATH)$/.test(value)
    ? "file"
    : "any";
  return { name, short, help: meaningOf(name, command), value: kind };
}

function serveFlag(name: string): Flag {
  const value = /path|config/.test(name) ? "file" : "any";
  return { name, short: undefined, help: "A setting of the service", value };
}

/** Returns the words of `key|model|day`, and of `CREDITS|tenth`. */
function choicesIn(value: string): string[] {
  return value.includes("|") ? value.split("|").filter((word) => /^[a-z]+$/.test(word)) : [];
}
