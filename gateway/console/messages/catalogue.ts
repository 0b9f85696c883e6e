import { invariant } from "../../domain/invariant.ts";

/** Languages of the console. */
export const LANGUAGES = ["en", "zh"] as const;

/** A language of the console. */
export type Language = (typeof LANGUAGES)[number];

/** One message in every language, in the order of {@linkcode LANGUAGES}. */
export type Message = readonly [en: string, zh: string];

/** Messages by their names; a function makes one of values, and a list or a table groups several. */
export interface MessageTable {
  readonly [name: string]:
    | Message
    | readonly Message[]
    | ((...values: never[]) => Message)
    | MessageTable;
}

/** The messages of a table in one language. */
export type Translated<Entry> = Entry extends Message ? string
  : Entry extends (...values: infer Values) => Message ? (...values: Values) => string
  : { readonly [Name in keyof Entry]: Translated<Entry[Name]> };

/** The same messages in every language. */
export type Catalogue<Messages> = Readonly<Record<Language, Messages>>;

/** A long message in both languages: English on the first line of the template, Chinese on the second. */
export function both(
  strings: TemplateStringsArray,
  ...values: readonly (string | number)[]
): Message {
  // Only the template's own line break divides the languages: a value may have line breaks too.
  const breaks = strings.reduce((sum, part) => sum + part.split("\n").length - 1, 0);
  invariant(breaks === 1, "A message of two languages has one line for each");
  const at = strings.findIndex((part) => part.includes("\n"));
  const [before = "", after = ""] = (strings[at] ?? "").split(/\n\s*/, 2);
  return [
    String.raw({ raw: [...strings.slice(0, at), before] }, ...values),
    String.raw({ raw: [after, ...strings.slice(at + 1)] }, ...values.slice(at)),
  ];
}

/** Messages of one page, or of what pages share. One that lacks a language does not compile. */
export function catalogue<const Table extends MessageTable | Message>(
  table: Table,
): Catalogue<Translated<Table>> {
  return { en: translated(table, 0), zh: translated(table, 1) };
}

function translated<Entry>(entry: Entry, at: number): Translated<Entry>;
function translated(entry: unknown, at: number): unknown {
  if (typeof entry === "function") return (...values: unknown[]) => entry(...values)[at];
  if (Array.isArray(entry)) {
    return typeof entry[0] === "string" ? entry[at] : entry.map((each) => translated(each, at));
  }
  if (typeof entry !== "object" || entry === null) return entry;
  const entries = Object.entries(entry);
  return Object.fromEntries(entries.map(([name, each]) => [name, translated(each, at)]));
}
