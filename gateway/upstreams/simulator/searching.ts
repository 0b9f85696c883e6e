/**
 * Calls of search tools: functions named `web_search` or `file_search` with a `query`, when the
 * question needs a search. The question is the query.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { OfferedTool } from "./chat_request.ts";

const LONGEST_QUERY = 200;

/** The gateway adds the prefix where the caller has a tool of the same name. */
const SEARCH_TOOL = /^(?:hosted_)*(web|file)_search$/;

const ASKS =
  /\b(?:search|searching|find|look(?:ing)? (?:\S+ ){0,8}up)\b|搜索|搜一下|查找|查询|查一下/i;
const IN_FILES = /\b(?:files?|documents?)\b|文件|文档/i;
const ON_THE_WEB =
  /\b(?:web|internet|online|latest|newest|news|today|what(?: is|'s) new|new in)\b|网上|网络|最新|今天|新闻|新动态/i;

/** True for a tool that searches. */
export function isSearchTool({ name, parameters }: OfferedTool): boolean {
  if (!SEARCH_TOOL.test(name) || !isJsonObject(parameters)) return false;
  return isJsonObject(parameters.properties) && parameters.properties.query !== undefined;
}

/** Returns the tools to search with: those that fit the question best. */
export function searchesFor(question: string, tools: readonly OfferedTool[]): OfferedTool[] {
  const inFiles = IN_FILES.test(question);
  const onTheWeb = ON_THE_WEB.test(question);
  if (!inFiles && !onTheWeb && !ASKS.test(question)) return [];
  const offered = tools.filter(isSearchTool);
  const has = (kind: string) => offered.some((tool) => kindOf(tool) === kind);
  const fits = (tool: OfferedTool) =>
    kindOf(tool) === "file" ? inFiles || !has("web") : onTheWeb || !inFiles || !has("file");
  return offered.filter(fits);
}

function kindOf({ name }: OfferedTool): string | undefined {
  return SEARCH_TOOL.exec(name)?.[1];
}

/** Returns a question as a query: its start, in one line. */
export function queryOf(question: string): string {
  const line = question.slice(0, 2 * LONGEST_QUERY).replace(/\s+/g, " ").trim();
  const query = line.slice(0, LONGEST_QUERY).toWellFormed().replace(/\uFFFD$/, "");
  return query === "" ? "anything" : query;
}
