import type { AttributeFilter } from "@svc/sdk/protocol";
import type { ApproximateLocation, SearchContextSize } from "../../ports/web_search.ts";

/** Hosted web search as a request declares it. */
export interface WebSearchTool {
  /** Path of its declaration in the request. */
  readonly path: string;
  /** False when only stored pages may be read: the gateway stores none. */
  readonly isLive: boolean;
  readonly contextSize?: SearchContextSize | undefined;
  readonly userLocation?: ApproximateLocation | undefined;
  readonly allowedDomains?: readonly string[] | undefined;
}

/** Hosted file search as a request declares it. */
export interface FileSearchTool {
  /** Never empty. */
  readonly storeIds: readonly string[];
  /** Path of the ids in the request. */
  readonly path: string;
  readonly maxResults?: number | undefined;
  readonly scoreThreshold?: number | undefined;
  readonly filter?: AttributeFilter | undefined;
}

/** The hosted tools of a request. */
export interface HostedTools {
  readonly webSearch?: WebSearchTool | undefined;
  readonly fileSearch?: FileSearchTool | undefined;
  /** Lines about declared parts that no search of the gateway can do. @default {nothing} */
  readonly leftOut?: readonly string[] | undefined;
}

/** True when a request declares a hosted tool. */
export function asksForHosted({ webSearch, fileSearch }: HostedTools): boolean {
  return webSearch !== undefined || fileSearch !== undefined;
}
