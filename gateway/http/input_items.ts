/**
 * Pages of the items of a request, as OpenAI lists them.
 *
 * @module
 */

import type { z } from "zod";
import { ServiceFault } from "../domain/fault.ts";
import { members } from "../wire/json/text.ts";
import { listedItem } from "../wire/responses/listed_item.ts";
import { inputItemsQuerySchema } from "./schemas/stored_responses.ts";
import { validate } from "./validation.ts";

/** Checked query of a page of items. */
export type InputItemsQuery = z.output<typeof inputItemsQuerySchema>;

/**
 * Names that may occur once in a query; `include` may occur often, as OpenAI's client writes it.
 */
const SINGLE = ["limit", "order", "after"];

/** Reads the query; unknown names are ignored, as by OpenAI. */
export function inputItemsQuery(search: URLSearchParams): InputItemsQuery {
  const query: Record<string, unknown> = {};
  for (const name of SINGLE) {
    const [value, ...more] = search.getAll(name);
    if (more.length > 0) throw badQuery(name, `Send one ${name}, or none`);
    if (value !== undefined) query[name] = value;
  }
  const include = [...search.getAll("include"), ...search.getAll("include[]")];
  return validate(inputItemsQuerySchema, { ...query, include });
}

/** Returns the JSON text of a page of items; `input` has the oldest first. */
export function inputItemsPage(input: readonly string[], query: InputItemsQuery): string {
  const { order, after } = query;
  const limit = Number(query.limit);
  const ordered = order === "asc" ? input : input.toReversed();
  // The last item of that id: if two items share one, the pages still come to an end.
  const previous = after === undefined ? -1 : ordered.findLastIndex((item) => idOf(item) === after);
  if (after !== undefined && previous === -1) {
    throw badQuery("after", "There is no item with the id in after");
  }
  const data = ordered.slice(previous + 1, previous + 1 + limit);
  const ids = { first_id: idOf(data[0]), last_id: idOf(data.at(-1)) };
  const hasMore = previous + 1 + data.length < ordered.length;
  return `{"object":"list","data":[${data.map(listedItem).join(",")}],` +
    `${JSON.stringify(ids).slice(1, -1)},"has_more":${hasMore}}`;
}

/** Returns the id of an item, or `null` where there is no item. */
function idOf(item: string | undefined): string | null {
  if (item === undefined) return null;
  const id = members(item).findLast(({ key }) => key === "id");
  return id === undefined ? null : JSON.parse(item.slice(id.valueStart, id.valueEnd)) as string;
}

function badQuery(param: string, message: string): ServiceFault {
  return new ServiceFault("invalid_request", { message, param });
}
