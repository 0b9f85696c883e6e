/**
 * Checks of the hosted tools that a request declares.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import { hostedToolOf, isLocalTool } from "../domain/requests/hosted_tool_types.ts";
import type { FileSearchTool, HostedTools, WebSearchTool } from "../flows/hosted/hosted_tools.ts";
import {
  fileSearchSchema,
  rankingOptionsSchema,
  userLocationSchema,
  webSearchSchema,
} from "./schemas/hosted_tools.ts";
import { validate } from "./validation.ts";

type Declaration = Readonly<Record<string, unknown>> & { readonly type: string };

/** A declaration as read, with the members that cannot be served. */
interface Read<Tool> {
  readonly tool: Tool;
  readonly leftOut: readonly string[];
}

const NO_HOSTED_TOOLS: HostedTools = {};

/** Reads the hosted tools. Throws a {@linkcode ServiceFault} that names the refused member. */
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
  const webSearch = readWebSearch(searches[0]);
  const fileSearch = readFileSearch(fileSearches[0]);
  return {
    webSearch: webSearch?.tool,
    fileSearch: fileSearch?.tool,
    leftOut: [...webSearch?.leftOut ?? [], ...fileSearch?.leftOut ?? []],
  };
}

function readWebSearch(
  entry: readonly [number, Declaration] | undefined,
): Read<WebSearchTool> | undefined {
  if (entry === undefined) return undefined;
  const path = `tools.${entry[0]}`;
  const tool = validate(webSearchSchema, entry[1], path);
  const { country, city, region, timezone } = tool.user_location ?? {};
  return {
    tool: {
      path,
      isLive: tool.external_web_access !== false,
      contextSize: tool.search_context_size ?? undefined,
      userLocation: tool.user_location == null ? undefined : {
        country: country ?? undefined,
        city: city ?? undefined,
        region: region ?? undefined,
        timezone: timezone ?? undefined,
      },
      allowedDomains: tool.filters?.allowed_domains ?? undefined,
    },
    leftOut: [
      ...strangeMembers(path, tool, webSearchSchema),
      ...strangeMembers(`${path}.user_location`, tool.user_location, userLocationSchema),
    ],
  };
}

function readFileSearch(
  entry: readonly [number, Declaration] | undefined,
): Read<FileSearchTool> | undefined {
  if (entry === undefined) return undefined;
  const path = `tools.${entry[0]}`;
  const tool = validate(fileSearchSchema, entry[1], path);
  return {
    tool: {
      storeIds: tool.vector_store_ids,
      path: `${path}.vector_store_ids`,
      maxResults: tool.max_num_results ?? undefined,
      scoreThreshold: tool.ranking_options?.score_threshold ?? undefined,
      filter: tool.filters ?? undefined,
    },
    leftOut: [
      ...strangeMembers(path, tool, fileSearchSchema),
      ...strangeMembers(`${path}.ranking_options`, tool.ranking_options, rankingOptionsSchema),
    ],
  };
}

/** Reasons why members that OpenAI knows have no effect here. */
const REASONS: Readonly<Record<string, string>> = {
  search_content_types: "text alone is searched for",
  ranker: "there is one ranker",
  hybrid_search: "words and meaning weigh the same",
};

/** Values of such members that request no more than the default: JSON texts. */
const IDLE: Readonly<Record<string, string>> = {
  search_content_types: '["text"]',
  ranker: '"auto"',
};

/** Returns a line for each member without effect, which no schema of the service has. */
function strangeMembers(
  path: string,
  value: Readonly<Record<string, unknown>> | null | undefined,
  { shape }: { readonly shape: object },
): readonly string[] {
  return Object.entries(value ?? {})
    .filter(([name, value]) => !Object.hasOwn(shape, name) && value !== null)
    .filter(([name, value]) => !Object.hasOwn(IDLE, name) || JSON.stringify(value) !== IDLE[name])
    .map(([name]) => {
      const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : "it is not known here";
      return `${path}.${name}: ${reason}`;
    });
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
