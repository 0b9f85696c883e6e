/**
 * Generates the section of `docs/providers.md` on what each kind of provider can carry, from the table
 * that requests are checked against:
 *
 * ```sh
 * deno run tests/architecture/provider_section.ts
 * ```
 *
 * @module
 */

import type { NativeKind } from "../../gateway/domain/catalog/catalog.ts";
import {
  CANNOT_CARRY,
  type Feature,
  FEATURES,
  type Lack,
} from "../../gateway/upstreams/ai_sdk/cannot_carry.ts";

/** Heading of the section. */
export const HEADING = "## What each provider kind can carry";

const CELLS: Readonly<Record<Lack, string>> = {
  refused: "400",
  reported: "left out",
  changed: "changed",
  fetched: "fetched",
};

/** Printed by `tests/bench/provider_costs.ts`: milliseconds to load, megabytes kept. */
const COSTS: Readonly<Record<NativeKind | "all together", readonly [ms: number, mb: number]>> = {
  anthropic: [52, 15.6],
  google: [54, 15.3],
  "google-vertex": [47, 13.4],
  "amazon-bedrock": [95, 22.0],
  azure: [47, 15.7],
  mistral: [44, 12.4],
  cohere: [42, 11.9],
  "all together": [147, 30.9],
};

const INTRODUCTION = `
On chat, \`openai\` and \`openai-compatible\` upstreams receive every field unchanged, except empty
\`tools\` and \`functions\`, which OpenAI refuses. On Responses, \`openai\` receives every field, and
\`openai-compatible\` receives the request as Chat Completions has it. The other kinds have separate wire
formats; they receive the requests of both endpoints by way of Chat Completions.

A field that a provider has no place for is never dropped silently:

- \`400\`: the request is refused before anything is sent, with the name of the field.
- _left out_: the field is not sent. It is listed in \`upstream_warnings\` of a chat response and in
  \`metadata.routing.not_carried\` of a Responses response.
- _changed_: the field takes effect in another place or form, and is listed in the same way.
- _fetched_: the gateway fetches it, from public addresses only, and sends the bytes.

If log probabilities are requested, \`openai\` and \`openai-compatible\` upstreams come first. Parts of
an answer that the requested format has no place for are listed in the same places.

\`azure\` and \`mistral\` receive the \`strict\` of a JSON schema. \`google\`, \`google-vertex\` and
\`cohere\` hold every answer to the part of its schema that they know, whether \`strict\` is set or not.
Claude's models do so if they know structured outputs; if a model does not, or its decoder does not
know all of the schema, \`strict\` is listed as left out. The \`name\` of a schema is a label and reaches
\`azure\` and \`mistral\` only; its \`description\` stands in the schema itself for the others.

Three kinds of text are buffered until the answer ends: the text of a response made from a chat
answer, of an answer with hosted tools, and of the tool calls of any chat answer. Each is limited to
4 194 304 characters, of which an item, a part, a call and a citation take 256 beside their text. A
longer answer is cut with \`upstream_error\`. The log probabilities of an answer with hosted tools are
limited to 16 Mi characters.
`.trim();

const CREDENTIALS = `
\`azure\` passes on neither the verdicts of its content filter (\`content_filter_results\`,
\`prompt_filter_results\`) nor \`system_fingerprint\`. If you need them, configure Azure's \`/openai/v1\`
as an \`openai-compatible\` upstream, which passes on every byte.

If a caller sets no output limit, these kinds receive the limit that the wallet holds credit for.
\`azure\` receives one only if its model could write more.

Credentials are read from the variables that the upstream names. \`apiKeyEnv\` holds a key, for
\`google-vertex\` also the JSON key of a service account. \`credentialsFileEnv\` of \`google-vertex\`
holds the path of such a file instead, and is commonly \`GOOGLE_APPLICATION_CREDENTIALS\`; a service
account also needs \`region\` and \`project\`. \`accessKeyIdEnv\`, \`secretAccessKeyEnv\` and, for
temporary keys, \`sessionTokenEnv\` of \`amazon-bedrock\` sign each request, for a \`region\`.
`.trim();

const LOADING = `
The package of a kind is loaded at the first call of that kind. The cost, once (median of five runs
on two cores, measured by \`tests/bench/provider_costs.ts\`):
`.trim();

/** The section, as \`deno fmt\` leaves it. */
export function providerSection(): string {
  const kinds = Object.keys(CANNOT_CARRY).filter((kind): kind is NativeKind =>
    kind in CANNOT_CARRY
  );
  const features = Object.keys(FEATURES).filter((name): name is Feature => name in FEATURES);
  const cell = (kind: NativeKind, feature: Feature) => {
    const lack = CANNOT_CARRY[kind][feature];
    return lack === undefined ? "yes" : CELLS[lack];
  };
  const rows = features.map((feature) => [
    FEATURES[feature],
    ...kinds.map((kind) => cell(kind, feature)),
  ]);
  const costs = Object.entries(COSTS).map(([kind, [ms, mb]]) => [
    kind in CANNOT_CARRY ? `\`${kind}\`` : kind,
    `${ms} ms`,
    `${mb.toFixed(1)} MB`,
  ]);
  return [
    HEADING,
    INTRODUCTION,
    table([["", ...kinds.map((kind) => `\`${kind}\``)], ...rows]),
    CREDENTIALS,
    LOADING,
    table([["kind", "time", "memory"], ...costs]),
  ].join("\n\n") + "\n";
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, filler)).join(" | ")} |`;
  return [line(head), line(head.map(() => ""), "-"), ...rows.map((row) => line(row))].join("\n");
}

if (import.meta.main) console.log(providerSection().trimEnd());
