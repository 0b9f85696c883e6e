/** A number of a JSON text in its canonical form. */
class Numeral {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Numbers that lose digits, or are written differently, once they are read. */
const INEXACT = /[\d.]{16}|\d[eE]/;

/**
 * Returns the canonical form of a JSON text, without differences in white space, in the order of
 * members, in escapes, and in the notation of numbers, which are compared exactly. `undefined` if it
 * is no JSON text, or nested too deep.
 */
export function jsonKey(text: string): string | undefined {
  try {
    // Reading the source of every number takes ten times as long.
    return canonical(INEXACT.test(text) ? JSON.parse(text, numerals) : JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Replaces a number by its canonical form, from its source text: a number may lose digits. */
function numerals(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? new Numeral(numeralOf(context?.source ?? `${value}`)) : value;
}

/** Returns the canonical form of a JSON number: sign, digits without zeros at the ends, exponent. */
function numeralOf(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source);
  if (match === null) return source;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  if (length === 0) return "0";
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - length);
  return `${sign}${digits.slice(0, length)}e${scale}`;
}

function canonical(value: unknown): string {
  if (value instanceof Numeral) return value.text;
  if (typeof value === "number") return numeralOf(String(value));
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1);
  return `{${
    members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")
  }}`;
}
