/**
 * Values of form fields as what they stand for.
 *
 * @module
 */

/** Names separated by commas or lines. */
export function listOf(text: string): string[] {
  return text.split(/[,\n，、]/).map((each) => each.trim()).filter((each) => each !== "");
}

/** A number; the text itself where it is none, for the API to refuse; `undefined` where it is empty. */
export function numberFrom(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : trimmed;
}

/** The texts of some fields, without those that are empty. */
export function textsOf(
  fields: URLSearchParams,
  names: readonly string[],
  prefix = "",
): Record<string, string> {
  const texts = names.map((name) => [name, lines(fields.get(prefix + name) ?? "")] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** As it was typed: forms end their lines with two characters. */
function lines(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}
