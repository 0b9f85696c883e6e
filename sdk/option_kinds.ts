import { ConfigurationError } from "./errors.ts";

interface Kind {
  /** Name in an error message: "it is not …". */
  readonly name: string;
  readonly has: (value: unknown) => boolean;
}

/** The kinds of options. Values may come from plain JavaScript or from a file. */
const KINDS = {
  /** No check here; the option may be checked where it is used. */
  anything: { name: "anything", has: () => true },
  flag: { name: "true or false", has: (value) => typeof value === "boolean" },
  text: { name: "a text", has: (value) => typeof value === "string" },
  path: { name: "a path", has: (value) => typeof value === "string" && value !== "" },
  texts: { name: "a list of texts", has: isTexts },
  toolNames: {
    name: "a list of tool names, or true",
    has: (value) => value === true || isTexts(value),
  },
  number: { name: "a number", has: (value) => typeof value === "number" && !Number.isNaN(value) },
  object: { name: "an object", has: (value) => typeof value === "object" && value !== null },
  /** An object by names; nothing that iterates. */
  record: {
    name: "a plain object",
    has: (value) => typeof value === "object" && value !== null && !(Symbol.iterator in value),
  },
  function: { name: "a function", has: (value) => typeof value === "function" },
  signal: {
    name: "an AbortSignal",
    has: (value) => hasMethods(value, ["addEventListener", "removeEventListener"]),
  },
  logger: {
    name: "an object with debug and warn",
    has: (value) => hasMethods(value, ["debug", "warn"]),
  },
  budget: { name: "an object with refuse", has: (value) => hasMethods(value, ["refuse"]) },
} as const satisfies Readonly<Record<string, Kind>>;

/** The kind of every option; the compiler keeps it complete. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, keyof typeof KINDS>>;

/**
 * Rejects unknown options, which a misspelling would otherwise turn into ignored ones, and values
 * of the wrong kind, which would otherwise fail in the middle of a call that is paid for, or never.
 *
 * @throws {ConfigurationError} The first of them, by name.
 */
export function checkOptions<Options extends object>(
  options: Options,
  kinds: OptionKinds<Options>,
  { of }: { readonly of: string },
): void {
  if (!KINDS.object.has(options)) {
    throw new ConfigurationError(`Cannot use the options of ${of}: they are no object`);
  }
  const known = new Map<string, keyof typeof KINDS>(Object.entries(kinds));
  for (const [name, value] of Object.entries(options)) {
    const kind = known.get(name);
    if (kind === undefined) {
      throw new ConfigurationError(
        `Cannot use the option "${name}" of ${of}: there are ${
          [...known.keys()].sort().join(", ")
        }`,
      );
    }
    // Not quoted: it may be a key.
    if (value !== undefined && !KINDS[kind].has(value)) {
      throw new ConfigurationError(`Cannot use ${name}: it is not ${KINDS[kind].name}`);
    }
  }
}

/**
 * Returns the signal of options before they are checked; a value that is no signal is refused
 * later.
 */
export function signalOf(options: unknown): AbortSignal | undefined {
  const { signal } = Object(options);
  return KINDS.signal.has(signal) ? signal : undefined;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof Object(value)[name] === "function");
}
