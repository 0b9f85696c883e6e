import { parseArgs } from "node:util";
import { suggestion } from "../config/suggestion.ts";
import { type Command, type OptionName, OPTIONS, optionsOf, type OptionValues } from "./command.ts";
import { UsageError } from "./failures.ts";

/** Parsed arguments. */
export interface Invocation {
  /** Absent for global options alone, and for the help of a group. */
  readonly command?: Command | undefined;
  /** For the help of a group: its word. */
  readonly operands: readonly string[];
  readonly options: OptionValues;
}

/** Wrong usage of a known command. */
export class CommandUsageError extends UsageError {
  readonly command: Command;
  constructor(command: Command, message: string) {
    super(message);
    this.command = command;
  }
}

const EVERYWHERE: readonly OptionName[] = ["json", "help", "version"];

/** The options as the parser takes them. */
const PARSED = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, { short, value }]) => {
    const type = value === undefined ? "boolean" as const : "string" as const;
    return [name, { type, ...short && { short } }];
  }),
);

/** Parses the arguments; throws a {@linkcode UsageError} that suggests the nearest valid word. */
export function parseInvocation(args: readonly string[], commands: readonly Command[]): Invocation {
  const { tokens } = parseArgs({
    args: [...args],
    options: PARSED,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words = tokens.flatMap((token) => token.kind === "positional" ? [token.value] : []);
  const [group = ""] = words;
  const isGroup = words.length === 1 && isGroupOf(group, commands) &&
    tokens.some((token) => token.kind === "option" && ["--help", "-h"].includes(token.rawName));
  const command = words.length === 0 || isGroup ? undefined : findCommand(words, commands);
  const options: OptionValues = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (/^-\d/.test(token.rawName)) throw negative(args[token.index] ?? "", command);
    const name = requireOption(token.rawName, token.name, command);
    if (options[name] !== undefined) throw mistake(command, `Give ${token.rawName} once`);
    options[name] = OPTIONS[name].value === undefined
      ? requireNoValue(token, command)
      : requireValue(token, command);
  }
  if (command === undefined) return { operands: words, options };
  const operands = words.slice(command.words.split(" ").length);
  if (options.help !== true) requireComplete(command, operands, options);
  return { command, operands, options };
}

/** True for a word that only begins commands of two words. */
function isGroupOf(word: string, commands: readonly Command[]): boolean {
  return commands.some(({ words }) => words.startsWith(`${word} `)) &&
    commands.every(({ words }) => words !== word);
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const [first = "", second] = words;
  const named = (text: string) => commands.find((command) => command.words === text);
  const group = commands.filter((candidate) => candidate.words.startsWith(`${first} `));
  const command = (second === undefined ? undefined : named(`${first} ${second}`)) ?? named(first);
  if (command !== undefined) {
    if (command.words === first && second !== undefined) refuseMisspelt([first, second], group);
    return command;
  }
  if (group.length === 0) {
    const heads = new Set(commands.map((candidate) => candidate.words.split(" ")[0] ?? ""));
    throw new UsageError(`Unknown command "${first}"${suggestion(first, heads)}`);
  }
  if (second === undefined) {
    const verbs = group.map((candidate) => candidate.words.slice(first.length + 1));
    throw new UsageError(`"svc ${first}" takes one of ${verbs.join(", ")}`);
  }
  const name = `${first} ${second}`;
  const verbs = group.map((candidate) => candidate.words.slice(first.length + 1));
  const near = suggestion(second, verbs, (verb) => `${first} ${verb}`);
  throw new UsageError(`Unknown command "${name}"${near}`);
}

/**
 * Refuses a misspelt second word of `svc requests`, which has no operands: it may mean `svc
 * requests show`.
 */
function refuseMisspelt([first, second]: readonly [string, string], group: readonly Command[]) {
  const verbs = group.map((candidate) => candidate.words.slice(first.length + 1));
  const near = suggestion(second, verbs, (verb) => `${first} ${verb}`);
  if (near !== "") throw new UsageError(`Unknown command "${first} ${second}"${near}`);
}

function requireOption(raw: string, name: string, command: Command | undefined): OptionName {
  const valid = command === undefined ? EVERYWHERE : [...optionsOf(command), ...EVERYWHERE];
  const option = valid.find((candidate) => candidate === name);
  if (option !== undefined) return option;
  const near = suggestion(name, valid, (candidate) => `--${candidate}`);
  throw mistake(command, `Unknown option "${raw}"${near}`);
}

/** Returns the refusal of a negative number, which looks like an option. */
function negative(argument: string, command: Command | undefined): UsageError {
  const takesCredits = command?.operands?.some((operand) => /^CREDITS\b/.test(operand)) === true;
  return mistake(
    command,
    takesCredits
      ? `Credits must be positive, not ${argument}`
      : `Unexpected argument "${argument}"`,
  );
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function requireNoValue(token: OptionToken, command: Command | undefined): true {
  if (token.value === undefined) return true;
  throw mistake(command, `${token.rawName} takes no value`);
}

function requireValue(token: OptionToken, command: Command | undefined): string {
  const { value } = token;
  const isFlag = token.inlineValue !== true && value !== undefined && /^-./.test(value);
  if (value !== undefined && value !== "" && !isFlag) return value;
  throw mistake(command, `${token.rawName} needs a value`);
}

function requireComplete(
  command: Command,
  operands: readonly string[],
  options: OptionValues,
): void {
  const { operands: names = [], required = [] } = command;
  const missing = names[operands.length];
  if (missing !== undefined && !missing.startsWith("[")) {
    throw new CommandUsageError(command, `${missing.replace("...", "")} is missing`);
  }
  const extra = operands[names.length];
  const takesMore = command.words === "help" || names.at(-1)?.endsWith("...") === true;
  if (extra !== undefined && !takesMore) {
    throw new CommandUsageError(command, `Unexpected argument "${extra}"`);
  }
  const absent = required.find((name) => options[name] === undefined);
  if (absent !== undefined) throw new CommandUsageError(command, `--${absent} is missing`);
}

function mistake(command: Command | undefined, message: string): UsageError {
  return command === undefined ? new UsageError(message) : new CommandUsageError(command, message);
}
