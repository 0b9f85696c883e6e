import { z } from "zod";

const id = z.string().min(1);
const searchStatus = z.enum(["in_progress", "searching", "completed", "failed"]);

const search = z.strictObject({
  type: z.literal("search"),
  query: z.string(),
  sources: z.array(z.strictObject({ type: z.literal("url"), url: z.string() })).optional(),
});

/** Actions of upstreams that search by themselves, besides searching. */
const openPage = z.strictObject({ type: z.literal("open_page"), url: z.string().nullish() });
const findInPage = z.strictObject({
  type: z.literal("find_in_page"),
  pattern: z.string(),
  url: z.string(),
});

/** A web search as an item of an answer. */
export const webSearchCallSchema = z.strictObject({
  type: z.literal("web_search_call"),
  id,
  status: searchStatus,
  action: z.discriminatedUnion("type", [search, openPage, findInPage]),
});

/** A search of vector stores as an item of an answer. */
export const fileSearchCallSchema = z.strictObject({
  type: z.literal("file_search_call"),
  id,
  status: searchStatus,
  queries: z.array(z.string()),
  results: z.array(z.strictObject({
    file_id: z.string(),
    filename: z.string(),
    score: z.number(),
    text: z.string(),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  })).nullable(),
});
