/**
 * Entries of the catalog as the fields of their forms, and back. Members that no field is for are kept.
 *
 * @module
 */

/**
 * The fields of an entry, by kind; each has the name of its member. A dot leads into an object, such as
 * `price.perImage`: the object is left out where all of its fields are empty.
 */
export interface EntryShape {
  /** Left out where they are empty. */
  readonly texts: readonly string[];
  /** Left out where they are empty. */
  readonly numbers?: readonly string[];
  /** Names in one text, separated by commas. */
  readonly lists?: readonly string[];
  /** Lists with a field for each member. */
  readonly choices?: readonly string[];
  readonly flags?: readonly string[];
  /** Objects that the entry has even where all of their fields are empty. */
  readonly objects?: readonly string[];
}

type Members = Record<string, unknown>;

/** The fields of an entry. */
export function fieldsFrom(entry: { readonly id: string }, shape: EntryShape): URLSearchParams {
  const { texts, numbers = [], lists = [], choices = [], flags = [] } = shape;
  const fields = new URLSearchParams({ id: entry.id });
  for (const name of [...texts, ...numbers, ...lists]) {
    fields.set(name, membersAt(entry, name).join(", "));
  }
  for (const name of choices) {
    for (const member of membersAt(entry, name)) fields.append(name, String(member));
  }
  for (const name of flags) if (membersAt(entry, name)[0] === true) fields.set(name, "on");
  return fields;
}

/** Returns the entry that fields describe, for the operator's API to check. */
export function entryFrom(
  fields: URLSearchParams,
  shape: EntryShape,
  before: { readonly id: string } | undefined,
): Members & { readonly id: string } {
  const { texts, numbers = [], lists = [], choices = [], flags = [], objects = [] } = shape;
  const text = (name: string) => typedText(fields.get(name) ?? "");
  const values: readonly (readonly [path: string, value: unknown])[] = [
    ...texts.map((name) => [name, text(name) || undefined] as const),
    ...numbers.map((name) => [name, numberFrom(text(name))] as const),
    ...lists.map((name) => [name, listOf(text(name))] as const),
    ...choices.map((name) => [name, fields.getAll(name)] as const),
    ...flags.map((name) => [name, fields.has(name)] as const),
  ];
  const paths = values.map(([path]) => path);
  const without = (members: object, prefix: string): Members =>
    Object.fromEntries(
      Object.entries(members).filter(([name]) =>
        !paths.some((path) => path === prefix + name || path.startsWith(`${prefix}${name}.`))
      ),
    );
  const others = (name: string) => without(Object(membersAt(before ?? {}, name)[0]), `${name}.`);
  const entry = without(before ?? {}, "");
  for (const name of objects) entry[name] = others(name);
  for (const [path, value] of values) {
    const [name = "", member] = path.split(".");
    if (value === undefined) continue;
    entry[name] = member === undefined
      ? value
      : { ...Object(entry[name] ?? others(name)), [member]: value };
  }
  return { ...entry, id: before?.id ?? text("id") };
}

/** Returns a list's members; any other value as the one member, and none where it is absent. */
function membersAt(entry: object, path: string): readonly unknown[] {
  const [name, member] = path.split(".");
  const value: unknown = Object.entries(entry).find(([known]) => known === name)?.[1];
  return member === undefined ? [value ?? []].flat() : membersAt(Object(value), member);
}

/** Names separated by commas or lines. */
function listOf(text: string): string[] {
  return text.split(/[,\n，、]/).map((each) => each.trim()).filter((each) => each !== "");
}

/** A number; the text itself where it is none, for the API to refuse; `undefined` where it is empty. */
function numberFrom(text: string): number | string | undefined {
  if (text === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** As it was typed: forms end their lines with two characters. */
function typedText(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}
