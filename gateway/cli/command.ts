import type { AdminClient } from "./admin_client.ts";
import type { CliIo } from "./io.ts";

/** Definition of an option. */
export interface OptionSpec {
  readonly short?: string;
  /** Name of its value in usage lines. @default {it takes no value} */
  readonly value?: string;
  readonly help: string;
}

const DEFINITIONS = {
  action: { value: "ACTION", help: "Only this operation or event" },
  by: { value: "key|model|day|user|tag:NAME", help: "Grouping of the sums (day)" },
  check: { help: "Restore into a temporary place, verify, and remove it" },
  credits: { value: "CREDITS", help: "Initial credits" },
  endpoint: { value: "ENDPOINT", help: "Only requests to chat, responses, ..." },
  expected: { value: "CREDITS", help: "The balance on which it is based" },
  error: { value: "CODE", help: "Only requests refused with this code" },
  cursor: { value: "CURSOR", help: "Continue after the last page" },
  days: { value: "DAYS", help: "Days until the token expires (90; at most 366)" },
  dimensions: { value: "N", help: "Length of the vectors (that of the first answer)" },
  "dry-run": { help: "Show the difference, change nothing" },
  file: { short: "f", value: "FILE", help: "Configuration file, JSON" },
  follow: { help: "Show requests as they end, until interrupted" },
  force: { help: "Replace an existing file" },
  format: { value: "ndjson|csv|json", help: "Format of the output (ndjson)" },
  from: { value: "STORE", help: "Store to copy: a file, or postgres://..." },
  person: { value: "ID", help: "Id of the same person at the identity provider, as sso:…" },
  grants: { value: "RIGHTS", help: "Rights besides the role" },
  guided: { help: "All steps of a rotation; asks before each that stops a key" },
  help: { short: "h", help: "Explain the command" },
  host: { value: "HOST", help: "Address to listen on" },
  json: { help: "Print one JSON document and nothing else" },
  keep: { value: "N", help: "Number of a folder's newest backups to keep; the others are removed" },
  key: { value: "ID", help: "Only requests of this key" },
  limit: { value: "N", help: "Most lines to show (50; at most 500)" },
  match: { value: "TEXT", help: "Only requests with this text in one of their ids" },
  "min-charged": { value: "CREDITS", help: "Only requests with at least this charge" },
  model: { value: "MODEL", help: "Only requests sent to this model" },
  name: { value: "NAME", help: "Name of the key" },
  narrows: { value: "ID", help: "Key that the policy narrows; its wallet is used" },
  note: { value: "TEXT", help: "Reason, for the journal" },
  role: { value: "ROLE", help: "Role of an operator" },
  snapshot: { value: "N", help: "The snapshot (the newest)" },
  subject: { value: "TEXT", help: "Only entries about things with this text" },
  tag: { value: "NAME=VALUE", help: "Only calls with this tag" },
  task: { value: "TASK", help: "Only this task, by 8 digits of its fingerprint or more" },
  "op-id": { value: "ID", help: "Repeat a credit safely: the same id pays once" },
  oldest: { help: "Oldest first" },
  only: { value: "UPSTREAMS", help: "Only these upstreams, with commas between them" },
  outcome: {
    value: "OUTCOME",
    help: "Only requests that ended ok, error, client_left, cut or killed",
  },
  output: { short: "o", value: "FILE", help: "Output file, in place of standard output" },
  "passphrase-file": {
    value: "FILE",
    help: "Holds the passphrase of a backup (SERVICE_BACKUP_KEY, or asked for)",
  },
  plain: { help: "A backup that anyone with the file can read" },
  policy: { value: "FILE", help: "The key's policy, JSON" },
  port: { value: "PORT", help: "Port to listen on" },
  provider: { value: "NAME", help: "Only requests sent to this provider" },
  "request-id": { value: "ID", help: "The X-Request-ID of the call" },
  since: { value: "TIME", help: "From an ISO 8601 time, or for the last 24h, 7d, ..." },
  status: { value: "STATUS", help: "Only requests answered 429, or 4xx, ..." },
  strict: { help: "Warnings are failures, too" },
  tier: { value: "TIER", help: "The wallet's tier (standard)" },
  timeout: { value: "SECONDS", help: "Longest wait for an upstream (10)" },
  to: { value: "PATH", help: "Path of the new store (SERVICE_STORE)" },
  tolerance: { value: "PERCENT", help: "Accepted difference from the list price (5)" },
  until: { value: "TIME", help: "Up to a time, as --since" },
  url: {
    value: "URL",
    help: "Public URL (SERVICE_PUBLIC_URL, or the gateway's own setting)",
  },
  user: { value: "USER", help: "Only calls of this user" },
  version: { help: "Print the version" },
  wallet: { value: "WALLET", help: "The wallet that pays" },
  who: { value: "WHO", help: "Only what an operator did, by id or a part of the name" },
  yes: { short: "y", help: "Skip the confirmation" },
} as const satisfies Record<string, OptionSpec>;

/** Name of an option. */
export type OptionName = keyof typeof DEFINITIONS;

/** Every option, with its meaning unless a command defines another. */
export const OPTIONS: Readonly<Record<OptionName, OptionSpec>> = DEFINITIONS;

/** The options of a call. */
export type OptionValues = Partial<Record<OptionName, string | true>>;

/** One call of a command. */
export interface Call {
  readonly client: AdminClient;
  readonly io: CliIo;
  /** As many as the command names, or more if the last may repeat. */
  readonly operands: readonly string[];
  /** Returns the text of an option; `undefined` when absent. */
  option(name: OptionName): string | undefined;
  /** True when an option is present. */
  has(name: OptionName): boolean;
  /** Prints text before the result; nothing under `--json`. */
  print(text: string): void;
  /** Prints a sentence on standard error. */
  warn(sentence: string): void;
}

/** Space for a table. */
export interface Page {
  /** Columns of the terminal; infinite when the output is no terminal. */
  readonly width: number;
}

/** Result of a command, for programs and for people. */
export interface Output {
  readonly json: unknown;
  text(page: Page): string;
  /** Reason for a failure that still has a result to show. */
  readonly failure?: string | undefined;
}

/** Definition of a command. */
export interface Command {
  /** One or two words after `svc`. */
  readonly words: string;
  /**
   * Names of operands, in order. A last name that ends in `...` may repeat, one in brackets may be
   * left out. @default {[]}
   */
  readonly operands?: readonly string[];
  /** Options that the command requires. @default {[]} */
  readonly required?: readonly OptionName[];
  /** Options that the command accepts besides `--json` and `--help`. @default {[]} */
  readonly options?: readonly OptionName[];
  /** One sentence for the help. */
  readonly summary: string;
  /** Meanings of options that differ from the general ones. */
  readonly meanings?: Partial<Record<OptionName, string>> | undefined;
  /** Runs the command; `undefined` when it has printed everything itself. */
  run(call: Call): Promise<Output | undefined>;
}

/** Maximum number of options listed in a usage line; more are abbreviated. */
const OPTIONS_IN_USAGE = 6;

/** Returns the usage line of a command. */
export function usageLine(command: Command): string {
  const { operands = [], required = [], options = [] } = command;
  const words = [
    "svc",
    command.words,
    ...operands,
    ...required.map(optionUsage),
    ...options.length > OPTIONS_IN_USAGE
      ? ["[options]"]
      : options.map((name) => `[${optionUsage(name)}]`),
  ];
  return words.join(" ");
}

/** Options of a command: those it requires, then the others. */
export function optionsOf({ required = [], options = [] }: Command): readonly OptionName[] {
  return [...required, ...options];
}

/** Returns the help of an option of a command. */
export function meaningOf(name: OptionName, { meanings }: Pick<Command, "meanings">): string {
  return meanings?.[name] ?? OPTIONS[name].help;
}

function optionUsage(name: OptionName): string {
  const { short, value } = OPTIONS[name];
  const flag = short === undefined ? `--${name}` : `-${short}`;
  return value === undefined ? `--${name}` : `${flag} ${value}`;
}
