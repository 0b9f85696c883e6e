import type { AnswerOf } from "../../../admin_api/operations.ts";
import { csvLine } from "../../../system/csv.ts";
import type { Feed, View } from "../../page.ts";
import type { Summary } from "./answer.ts";
import { conditions } from "./filter.tsx";
import {
  type CalledKeys,
  type KeyDirectory,
  keyDirectory,
  type KnownKey,
  type KnownKeys,
} from "./known_keys.ts";
import { requestMessages } from "./messages.ts";
import { RefusedPage } from "../../view.ts";

const COLUMNS = [
  "at",
  "requestId",
  "id",
  "key",
  "keyName",
  "wallet",
  "endpoint",
  "stream",
  "status",
  "outcome",
  "errorCode",
  "model",
  "provider",
  "durationMs",
  "firstByteMs",
  "inputTokens",
  "cachedInputTokens",
  "outputTokens",
  "charged",
  "estimated",
  "user",
  "safetyIdentifier",
  "tags",
] as const;
const PATH = "/feeds/requests/requests.csv";
/** Requests that are read in one go. */
const LIMIT = "500";

/** The address of the requests that a page lists, as a file. */
export function requestFileHref(view: View): string {
  const query = new URLSearchParams(view.query);
  for (const name of ["cursor", "order"]) query.delete(name);
  return `/console${PATH}?${query}`;
}

/**
 * The requests that the conditions of the list mean, newest first, as a table of comma-separated
 * values. It is read as it is sent; where reading fails, the download fails.
 */
export const requestFile: Feed = {
  path: PATH,
  method: "GET",
  async answer(view) {
    const keys = await keyDirectory(view);
    const wanted = conditions(view);
    const key = onlyKey(view, await keys.called(wanted.get("key") ?? ""));
    if (key !== undefined) wanted.set("key", key.id);
    wanted.set("limit", LIMIT);
    // A search that the API refuses is refused before a file begins.
    const first = await view.load("GET /requests", { query: wanted });
    const lines = ReadableStream.from(linesOf(view, { first, wanted, keys }));
    return new Response(lines.pipeThrough(new TextEncoderStream()), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="requests.csv"',
      },
    });
  },
};

/** Returns the key that was meant; refuses a name that does not say which one. */
function onlyKey(view: View, { keys, isComplete }: CalledKeys): KnownKey | undefined {
  if (keys.length <= 1 && isComplete) return keys[0];
  const say = view.say(requestMessages);
  const message = isComplete ? say.whichKey(keys.length) : say.olderKeys;
  throw new RefusedPage({ status: 409, code: "conflict", message, param: "key" });
}

type List = AnswerOf<"GET /requests">;

async function* linesOf(
  view: View,
  { first, wanted, keys }: { first: List; wanted: URLSearchParams; keys: KeyDirectory },
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  let page = first;
  for (;;) {
    const known = await keys.of(page.requests);
    yield page.requests.map((row) => lineOf(row, known)).join("");
    if (page.cursor === null) return;
    wanted.set("cursor", page.cursor);
    page = await view.load("GET /requests", { query: wanted });
  }
}

function lineOf(row: Summary, keys: KnownKeys): string {
  const tags = Object.entries(row.tags).map((pair) => pair.join("=")).join(",");
  const cells = { ...row, keyName: keys.nameOf(row.key), tags };
  return csvLine(COLUMNS.map((name) => String(cells[name] ?? "")));
}
