/**
 * The hosted tools among a request's declarations, checked.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import { hostedToolOf, isLocalTool } from "../domain/hosted_tool_types.ts";
import type { HostedTools } from "../flows/hosted/hosted_tools.ts";
import { fileSearchSchema, webSearchSchema } from "./schemas/hosted_tools.ts";
import { validate } from "./validation.ts";

type Declaration = Readonly<Record<string, unknown>> & { readonly type: string };

const NO_HOSTED_TOOLS: HostedTools = {};

/** Reads the hosted tools. Throws a {@linkcode ServiceFault} that names what is refused. */
export function readHostedTools(tools: readonly Declaration[]): HostedTools {
  if (tools.length === 0) return NO_HOSTED_TOOLS;
  const hosted = [...tools.entries()].filter(([, { type }]) => !isLocalTool(type));
  for (const [at, { type }] of hosted) {
    if (hostedToolOf(type) === undefined) throw unsupported(at, type);
  }
  const searches = hosted.filter(([, { type }]) => hostedToolOf(type) === "web_search_preview");
  if (searches.length > 1) throw conflicting(searches.map(([, { type }]) => type));
  const fileSearches = hosted.filter(([, { type }]) => hostedToolOf(type) === "file_search");
  const [, second] = fileSearches;
  if (second !== undefined) {
    throw new ServiceFault("conflicting_tools", {
      message: "Send one file_search tool, with the ids of all vector stores",
      param: `tools.${second[0]}`,
    });
  }
  return { webSearch: webSearchOf(searches[0]), fileSearch: fileSearchOf(fileSearches[0]) };
}

function webSearchOf(found: readonly [number, Declaration] | undefined): HostedTools["webSearch"] {
  if (found === undefined) return undefined;
  const tool = validate(webSearchSchema, found[1], `tools.${found[0]}`);
  const { country, city, region, timezone } = tool.user_location ?? {};
  return {
    contextSize: tool.search_context_size ?? undefined,
    userLocation: tool.user_location == null ? undefined : {
      country: country ?? undefined,
      city: city ?? undefined,
      region: region ?? undefined,
      timezone: timezone ?? undefined,
    },
    allowedDomains: tool.filters?.allowed_domains ?? undefined,
  };
}

function fileSearchOf(
  found: readonly [number, Declaration] | undefined,
): HostedTools["fileSearch"] {
  if (found === undefined) return undefined;
  const path = `tools.${found[0]}`;
  const tool = validate(fileSearchSchema, found[1], path);
  return {
    storeIds: tool.vector_store_ids,
    path: `${path}.vector_store_ids`,
    maxResults: tool.max_num_results ?? undefined,
    scoreThreshold: tool.ranking_options?.score_threshold ?? undefined,
    filter: tool.filters ?? undefined,
  };
}

function unsupported(at: number, type: string): ServiceFault {
  return new ServiceFault("unsupported_tool", {
    message: `The tool type "${type.slice(0, 100)}" is not supported; declare functions, ` +
      '"web_search_preview" or "file_search"',
    param: `tools.${at}.type`,
  });
}

function conflicting(types: readonly string[]): ServiceFault {
  return new ServiceFault("conflicting_tools", {
    message: `Send one web search tool, not ${types.join(" and ")} together`,
    param: "tools",
  });
}
