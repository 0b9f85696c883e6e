/**
 * Generates the section of `docs/providers.md` on what each kind of provider can carry, from the
 * descriptors of the provider kinds:
 *
 * ```sh
 * deno run tests/architecture/provider_section.ts
 * ```
 *
 * @module
 */

import { type Feature, FEATURES, type Lack } from "../../gateway/upstreams/ai_sdk/features.ts";
import {
  isTranslated,
  PROVIDERS,
  type TranslatedProvider,
} from "../../gateway/upstreams/providers/provider_kinds.ts";

/** Heading of the section. */
export const HEADING = "## What each provider kind can carry";

const CELLS: Readonly<Record<Lack, string>> = {
  refused: "400",
  reported: "left out",
  changed: "changed",
  fetched: "fetched",
};

/** Cost of loading the packages of all kinds, as `loadCost` of a descriptor. */
const ALL_TOGETHER = [147, 30.9] as const;

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

/** Returns the section in the format of `deno fmt`. */
export function providerSection(): string {
  const providers = PROVIDERS.filter(isTranslated);
  const features = Object.keys(FEATURES).filter((name): name is Feature => name in FEATURES);
  const cell = ({ protocol: { chat: { lacks } } }: TranslatedProvider, feature: Feature) => {
    const lack = lacks[feature];
    return lack === undefined ? "yes" : CELLS[lack];
  };
  const names = providers.map(({ kind }) => `\`${kind}\``);
  const rows = features.map((feature) => [
    FEATURES[feature],
    ...providers.map((provider) => cell(provider, feature)),
  ]);
  const costs = providers.flatMap(({ kind, loadCost }) =>
    loadCost === undefined ? [] : [costRow(`\`${kind}\``, loadCost)]
  );
  return [
    HEADING,
    INTRODUCTION,
    table([["", ...names], ...rows]),
    CREDENTIALS,
    LOADING,
    table([["kind", "time", "memory"], ...costs, costRow("all together", ALL_TOGETHER)]),
  ].join("\n\n") + "\n";
}

function costRow(name: string, [ms, megabytes]: readonly [ms: number, megabytes: number]) {
  return [name, `${ms} ms`, `${megabytes.toFixed(1)} MB`];
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
