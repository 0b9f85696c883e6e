/** Types of the tools that the service runs itself, as policies name them. */
export const HOSTED_TOOL_TYPES = ["web_search_preview", "file_search"] as const;

export type HostedToolType = typeof HOSTED_TOOL_TYPES[number];

/** Tools that the caller runs. */
const LOCAL_TYPES: readonly string[] = ["function", "custom"];

/** Types under which vendors offer hosted web search. */
const WEB_SEARCH_ALIASES: readonly string[] = [
  ...["web_search", "web_search_2025_08_26", "web_search_20250305"],
  ...["web_search_preview", "web_search_preview_2025_03_11"],
];

/** True when the caller runs tools of this type. */
export function isLocalTool(type: string): boolean {
  return LOCAL_TYPES.includes(type);
}

/** Returns the hosted tool of a type; `undefined` when the service does not host it. */
export function hostedToolOf(type: string): HostedToolType | undefined {
  if (WEB_SEARCH_ALIASES.includes(type)) return "web_search_preview";
  return type === "file_search" ? type : undefined;
}
