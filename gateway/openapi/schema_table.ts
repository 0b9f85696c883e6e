/**
 * Renders a schema as a table, with nested schemas folded into their rows. All text is escaped.
 *
 * @module
 */

/** The members of a JSON Schema that are shown. */
export interface Definition {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: boolean | Definition;
  readonly items?: Definition | boolean;
  readonly anyOf?: readonly Definition[];
  readonly oneOf?: readonly Definition[];
  readonly allOf?: readonly Definition[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that control a terminal or the direction of text. */
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text that is safe in a page, also in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(UNPRINTABLE, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/** Returns text as paragraphs; text between backticks is code. */
export function prose(text: string): string {
  if (text === "") return "";
  return text.split("\n\n").map((paragraph) =>
    `<p>${escaped(paragraph).replaceAll(/`([^`]+)`/g, "<code>$1</code>")}</p>`
  ).join("\n");
}

/** Returns a schema as HTML: its kind, and the fields of an object. */
export function detailsOf(schema: Definition): string {
  const { properties, items, additionalProperties } = schema;
  const parts = [`<p>${kindOf(schema)}${limitsOf(schema)}</p>`, prose(schema.description ?? "")];
  if (properties !== undefined) parts.push(fieldTable(schema, properties));
  if (typeof items === "object") parts.push(nested("Each", items));
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0) {
    parts.push(nested("Each value", additionalProperties));
  }
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  parts.push(...choices.map((choice, index) => nested(`Either, ${index + 1}`, choice)));
  parts.push(...(schema.allOf ?? []).map((part) => nested("And", part)));
  return parts.filter((part) => part !== "").join("\n");
}

function fieldTable(
  { required = [], additionalProperties }: Definition,
  properties: Readonly<Record<string, Definition>>,
): string {
  const rows = Object.entries(properties).map(([name, field]) =>
    `<tr><th scope="row"><code>${escaped(name)}</code>${
      required.includes(name) ? ' <span class="mark">required</span>' : ""
    }</th><td>${detailsOf(field)}</td></tr>`
  );
  const others = additionalProperties === false
    ? '<p class="mark">Unknown fields are refused.</p>'
    : "";
  return `<div class="wide"><table><tbody>${rows.join("")}</tbody></table></div>${others}`;
}

/** Returns a nested schema; a schema with only a kind is not folded. */
function nested(label: string, schema: Definition): string {
  const inner = detailsOf(schema);
  if (!inner.includes("<table") && !inner.includes("<details")) {
    return `<div><span class="mark">${escaped(label)}:</span> ${inner}</div>`;
  }
  return `<details><summary>${escaped(label)}: ${kindOf(schema)}</summary>${inner}</details>`;
}

function kindOf({ $ref, type, format, anyOf, oneOf, allOf, ...rest }: Definition): string {
  if ($ref !== undefined) {
    const name = $ref.replace("#/components/schemas/", "");
    return `<a href="#schema-${escaped(name.replaceAll(/[^A-Za-z0-9]+/g, "-"))}">${
      escaped(name)
    }</a>`;
  }
  if (rest.const !== undefined) return code(rest.const);
  if (rest.enum !== undefined) return rest.enum.map((value) => code(value)).join(" | ");
  if (type !== undefined) {
    const kinds = typeof type === "string" ? type : type.join(" or ");
    return escaped(format === undefined ? kinds : `${kinds}, ${format}`);
  }
  if (anyOf !== undefined || oneOf !== undefined) return "one of";
  return allOf === undefined ? "anything" : "all of";
}

const LIMITS = [
  ["minimum", "from"],
  ["maximum", "to"],
  ["minLength", "characters from"],
  ["maxLength", "characters to"],
  ["minItems", "elements from"],
  ["maxItems", "elements to"],
] as const;

function limitsOf(schema: Definition): string {
  const limits = LIMITS.flatMap(([name, label]) => {
    const value = schema[name];
    // The largest safe integer is the limit of every integer.
    if (value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return [];
    return [`${label} ${value}`];
  });
  const details = [
    ...limits.length === 0 ? [] : [escaped(limits.join(", "))],
    ...schema.default === undefined ? [] : [`default ${code(schema.default)}`],
    ...schema.pattern === undefined ? [] : [`pattern ${code(schema.pattern, false)}`],
  ];
  return details.length === 0 ? "" : ` <span class="mark">${details.join("; ")}</span>`;
}

function code(value: unknown, quoted = true): string {
  return `<code>${escaped(quoted ? JSON.stringify(value) ?? "" : String(value))}</code>`;
}
