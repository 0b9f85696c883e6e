/**
 * The README's section on what each kind of provider can carry, made of the table that requests are
 * held against:
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

/** Costs printed by `tests/bench/provider_costs.ts`: milliseconds to load, megabytes of memory. */
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
On chat, \`openai\` and \`openai-compatible\` upstreams get every field as it came, but no empty \`tools\`
or \`functions\`, which OpenAI refuses; on Responses \`openai\` gets every field, and
\`openai-compatible\` gets the request as Chat Completions has it. The other kinds have wires of their
own, and get both endpoints' requests by way of Chat Completions. What one of them has no place for
is never dropped silently: \`400\` is a refusal that names the field, before anything is sent; what is
_left out_ is listed in \`upstream_warnings\` of a chat answer, and in \`metadata.routing.not_carried\`
of a response; what is _changed_ takes effect in another place or form, and is listed likewise; what
is _fetched_ is fetched by the gateway, from public addresses alone, and sent as bytes. Where log
probabilities are asked for, \`openai\` and \`openai-compatible\` upstreams are asked first. What a
provider answers beyond the shape that was asked for is listed in the same places.

\`azure\` and \`mistral\` are told whether a JSON schema is \`strict\`; \`google\`, \`google-vertex\` and
\`cohere\` hold every answer to what they know of its schema, whether that is asked for or not.
Claude's models do where they know structured outputs; where one does not, or its decoder does not
know all of the schema, \`strict\` is listed as left out. A schema's \`name\` is a label, and reaches
\`azure\` and \`mistral\` alone; its \`description\` stands in the schema itself elsewhere.

What an answer says again at its end, or signs, is kept while it comes: a response made of a chat
answer, an answer with hosted tools, and the tool calls of any chat answer are limited to 4 194 304
characters each, of which an item, a part, a call and a citation take 256 beside their text. A
longer answer breaks off with \`upstream_error\`. The log probabilities of an answer with hosted tools
are limited to 16 Mi characters.
`.trim();

const CREDENTIALS = `
Of answers, \`azure\` hands out neither its content filter's verdicts (\`content_filter_results\`,
\`prompt_filter_results\`) nor \`system_fingerprint\`: where they matter, name Azure's \`/openai/v1\` as
an \`openai-compatible\` upstream, which passes every byte on.

Where a caller gives no output limit, these kinds are sent the one that the wallet holds credit for;
\`azure\` is sent one only where its model could write more.

Credentials are read from the variables that the upstream names: \`apiKeyEnv\` holds a key, for
\`google-vertex\` also the JSON key of a service account. \`credentialsFileEnv\` of \`google-vertex\`
holds the path of such a file instead, and is commonly \`GOOGLE_APPLICATION_CREDENTIALS\`; with a
service account \`region\` and \`project\` are needed. \`accessKeyIdEnv\`, \`secretAccessKeyEnv\` and, for
temporary keys, \`sessionTokenEnv\` of \`amazon-bedrock\` sign each request, for a \`region\`.
`.trim();

const LOADING = `
A package is loaded with the first call of its kind. It then costs, once (median of five, on two
cores; \`tests/bench/provider_costs.ts\` measures it):
`.trim();

/** Returns the section in the format of `deno fmt`. */
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
