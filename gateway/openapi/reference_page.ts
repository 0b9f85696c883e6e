/**
 * Renders a description as a page for people: one file without scripts and external resources.
 *
 * @module
 */

import type { OpenApiDocument } from "./document.ts";
import { type Definition, detailsOf, escaped, prose } from "./schema_table.ts";

/** An operation in the document. */
interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Reply>>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Definition;
}

type Contents = Readonly<Record<string, { schema?: Definition; example?: unknown }>>;

interface Reply {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Contents;
}

interface Shown {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The style of the page; the page's policy names its digest. */
export const pageStyle = `:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:#0b57d0}
@media(prefers-color-scheme:dark){:root{--link:#8ab4f8}}
*{box-sizing:border-box}body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:62rem;
padding:1rem;background:Canvas;color:CanvasText;overflow-wrap:anywhere}a{color:var(--link)}
h1{margin:.5rem 0}h2{margin:2.5rem 0 .5rem;border-bottom:1px solid var(--line)}
article{margin:1.5rem 0;padding:.5rem 1rem 1rem;border:1px solid var(--line);border-radius:.5rem}
article:target{outline:3px solid var(--link)}h3{margin:.5rem 0;font-size:1.1rem}
h4{margin:1rem 0 .25rem}code,pre{font:.875rem/1.45 ui-monospace,monospace}
pre{overflow-x:auto;padding:.75rem;background:var(--soft);border-radius:.35rem;white-space:pre}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:start;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
th{font-weight:inherit;min-width:8rem}td p{margin:0 0 .25rem}details{margin:.25rem 0}
summary{cursor:pointer}.method{font-weight:700;text-transform:uppercase}
.mark{font-size:.8rem;opacity:.75}nav ul{columns:18rem;padding-inline-start:1.2rem}
a:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media(max-width:40rem){body{padding:.5rem}article{padding:.25rem .6rem .6rem}}`;

/** Returns the page of a document; `address` is the base URL of the service. */
export function referencePage(document: OpenApiDocument, address: string): string {
  const { info, tags = [], components = {} } = document;
  const shown = operationsOf(document);
  const schemas = Object.entries(components.schemas ?? {}) as [string, Definition][];
  const sections = tags.map(({ name }) => {
    const inTag = shown.filter(({ operation }) => operation.tags.includes(name));
    const articles = inTag.map((one) => article(one, document, address)).join("\n");
    return `<section><h2 id="${anchor(name)}">${escaped(name)}</h2>\n${articles}</section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}: reference</title><style>${pageStyle}</style></head>
<body><header><h1>${escaped(info.title)}</h1>
<p class="mark">Version ${escaped(info.version)} · <a href="openapi.json">openapi.json</a></p>
${prose(info.description ?? "")}</header>
<nav aria-label="Operations">${tags.map(({ name }) => contents(name, shown)).join("")}</nav>
<main>${sections.join("\n")}
<section><h2 id="schemas">Schemas</h2>
${
    schemas.map(([name, schema]) =>
      `<article id="schema-${anchor(name)}"><h3>${escaped(name)}</h3>${detailsOf(schema)}</article>`
    ).join("\n")
  }</section></main></body></html>
`;
}

function operationsOf({ paths = {} }: OpenApiDocument): Shown[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      path,
      operation: operation as OperationObject,
    }))
  );
}

function contents(tag: string, shown: readonly Shown[]): string {
  const links = shown.filter(({ operation }) => operation.tags.includes(tag))
    .map(({ operation: { operationId, summary } }) =>
      `<li><a href="#${anchor(operationId)}">${escaped(summary)}</a></li>`
    );
  return `<p><a href="#${anchor(tag)}">${escaped(tag)}</a></p><ul>${links.join("")}</ul>`;
}

function article({ method, path, operation }: Shown, document: OpenApiDocument, address: string) {
  const { operationId, summary, description = "", parameters = [], requestBody } = operation;
  const id = anchor(operationId);
  return `<article id="${id}"><h3><a href="#${id}">${escaped(summary)}</a></h3>
<p><span class="method">${escaped(method)}</span> <code>${escaped(path)}</code>
<span class="mark">${escaped(accessOf(operation))}</span></p>
${prose(description)}
<pre tabindex="0"><code>${escaped(curl({ method, path, operation }, address))}</code></pre>
${parameterTable(parameters)}
${requestBody === undefined ? "" : `<h4>Body</h4>${bodies(requestBody.content)}`}<h4>Answers</h4>${
    Object.entries(operation.responses).map(([status, reply]) => {
      return replyDetails(status, resolved(reply, document));
    }).join("")
  }</article>`;
}

function accessOf({ security }: OperationObject): string {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.length === 0) return "no key needed";
  return names.includes("adminToken") ? "admin token" : "API key";
}

function parameterTable(parameters: readonly ParameterObject[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, required, schema = {} }) =>
    `<tr><th scope="row"><code>${escaped(name)}</code> <span class="mark">${escaped(place)}${
      required ? ", required" : ""
    }</span></th><td>${detailsOf(schema)}</td></tr>`
  );
  return `<h4>Parameters</h4><div class="wide"><table><tbody>${
    rows.join("")
  }</tbody></table></div>`;
}

function bodies(content: Contents): string {
  return Object.entries(content).map(([type, { schema, example }]) =>
    `<p><code>${escaped(type)}</code></p>${schema === undefined ? "" : detailsOf(schema)}${
      example === undefined ? "" : exampleDetails(example)
    }`
  ).join("");
}

function exampleDetails(example: unknown): string {
  return `<details><summary>Example</summary><pre tabindex="0"><code>${
    escaped(JSON.stringify(example, null, 2))
  }</code></pre></details>`;
}

function replyDetails(status: string, { description = "", headers = {}, content = {} }: Reply) {
  const names = Object.keys(headers).map((name) => `<code>${escaped(name)}</code>`).join(", ");
  const body = Number(status) >= 400 ? "" : bodies(content);
  return `<details${status.startsWith("2") ? " open" : ""}><summary><strong>${
    escaped(status)
  }</strong></summary>${prose(description)}${
    names === "" ? "" : `<p class="mark">Headers: ${names}</p>`
  }${body}</details>`;
}

function resolved(reply: Reply, { components }: OpenApiDocument): Reply {
  if (reply.$ref === undefined) return reply;
  const name = reply.$ref.replace("#/components/responses/", "");
  return components?.responses?.[name] as Reply | undefined ?? reply;
}

/** Returns a command that calls the operation, with placeholders in capitals. */
function curl({ method, path, operation }: Shown, address: string): string {
  const url = address + path.replaceAll(/\{(\w+)\}/g, (_, name) => String(name).toUpperCase());
  const query = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required)
    .map(({ name }) => `${name}=${name.toUpperCase()}`).join("&");
  const words = [
    `curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} '${url}${
      query === "" ? "" : `?${query}`
    }'`,
  ];
  const access = accessOf(operation);
  if (access !== "no key needed") {
    words.push(`-H "Authorization: Bearer $${access === "API key" ? "KEY" : "ADMIN_TOKEN"}"`);
  }
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined) {
    words.push(`-H 'Content-Type: ${type}'`);
    words.push(
      type !== "application/json"
        ? "--data-binary @FILE"
        : `-d '${JSON.stringify(body?.example ?? {}).replaceAll("'", "'\\''")}'`,
    );
  }
  return words.join(" \\\n  ");
}

function anchor(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]+/g, "-");
}
