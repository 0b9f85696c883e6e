import { createParser, type EventSourceMessage } from "eventsource-parser";
import * as ui from "../../components/mod.ts";
import type { Feed, View } from "../../page.ts";
import type { Summary } from "./answer.ts";
import { columnsOf, hrefOf } from "./columns.tsx";
import { keyDirectory } from "./known_keys.ts";

/**
 * Maximum time of one stream, in milliseconds. The browser then reconnects with its session: a session
 * that has ended meanwhile receives no more.
 */
const LIFE_MS = 60_000;
/** Time after which a browser reconnects, in milliseconds. */
const RETRY_MS = 300;
/** Rows that ended between two streams, at most; of more it is said that there are some. */
const MISSED_MAX = 500;

/**
 * Requests as they end, as server-sent events: `row` is a row of the list as markup, made by the code
 * of the list; `lost` is the number of rows that could not be shown, `gap` says that some were not. A
 * browser that reconnects receives the rows that it missed.
 */
export const tailFeed: Feed = { path: "/feeds/requests/tail", method: "GET", answer };

async function answer(view: View, request: Request): Promise<Response> {
  const keys = await keyDirectory(view);
  const columnsFor = async (row: Summary) => columnsOf(view, await keys.of([row]));
  const tail = await view.api.ask(`/requests/tail${view.url.search}`);
  if (!tail.ok || tail.body === null) return tail;
  // After the tail has begun: what ends meanwhile is in both, and in no gap between them.
  const missed = await missedRows(view, request.headers.get("last-event-id"));
  const events = tail.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(rowEvents(columnsFor, { lifeMs: LIFE_MS, missed }))
    .pipeThrough(new TextEncoderStream());
  return new Response(events, { headers: { "content-type": "text/event-stream" } });
}

/** Stands for the newest row where there was none. */
const NO_ROW = "-";

/** The rows that ended since a row, oldest first. */
interface Missed {
  readonly rows: readonly Summary[];
  /** There was more than that. */
  readonly hasGap: boolean;
  /** The row after which this stream begins. */
  readonly fromId: string;
}

async function missedRows(view: View, lastId: string | null): Promise<Missed> {
  const query = new URLSearchParams(view.query);
  query.set("limit", lastId === null ? "1" : String(MISSED_MAX));
  const answer = await view.api.call("GET /requests", { query });
  if (!answer.ok) return { rows: [], hasGap: lastId !== null, fromId: lastId ?? NO_ROW };
  const { requests } = answer.value;
  if (lastId === null) return { rows: [], hasGap: false, fromId: requests[0]?.id ?? NO_ROW };
  const at = requests.findIndex(({ id }) => id === lastId);
  const hasGap = at < 0 && (lastId !== NO_ROW || requests.length === MISSED_MAX);
  const rows = requests.slice(0, at < 0 ? undefined : at).toReversed();
  return { rows, hasGap, fromId: lastId };
}

/** Returns the columns of a row. */
type ColumnsFor = (row: Summary) => Promise<readonly ui.Column<Summary>[]>;

/** Makes of the API's events those of the feed. */
export function rowEvents(
  columnsFor: ColumnsFor,
  { lifeMs, missed = { rows: [], hasGap: false, fromId: NO_ROW } }: {
    lifeMs: number;
    missed?: Missed;
  },
): TransformStream<string, string> {
  const endMs = performance.now() + lifeMs;
  const missedIds = new Set(missed.rows.map(({ id }) => id));
  let events: (EventSourceMessage | undefined)[] = [];
  const parser = createParser({
    onEvent: (event) => void events.push(event),
    // What keeps the connection alive goes on to the browser, and to proxies before it.
    onComment: () => void events.push(undefined),
  });
  return new TransformStream({
    async start(controller) {
      // An id alone is remembered by the browser, and told when it comes back.
      controller.enqueue(`retry: ${RETRY_MS}\nid: ${missed.fromId}\n\n`);
      if (missed.hasGap) controller.enqueue("event: gap\ndata: {}\n\n");
      for (const row of missed.rows) controller.enqueue(await rowEvent(columnsFor, row));
    },
    async transform(text, controller) {
      parser.feed(text);
      const come = events;
      events = [];
      for (const event of come) {
        if (event?.event === "lost") controller.enqueue(`event: lost\ndata: ${event.data}\n\n`);
        if (event === undefined) controller.enqueue(": keep-alive\n\n");
        if (event?.event !== "request") continue;
        const row: Summary = JSON.parse(event.data);
        if (!missedIds.has(row.id)) controller.enqueue(await rowEvent(columnsFor, row));
      }
      if (performance.now() >= endMs) controller.terminate();
    },
  });
}

async function rowEvent(columnsFor: ColumnsFor, row: Summary): Promise<string> {
  const columns = await columnsFor(row);
  const markup = ui.shownMarkup(
    await (<ui.DataRow columns={columns} row={row} href={hrefOf} />).toString(),
  );
  return `event: row\nid: ${row.id}\ndata: ${JSON.stringify(markup)}\n\n`;
}
