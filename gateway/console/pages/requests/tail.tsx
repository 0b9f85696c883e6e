import { EventSourceParserStream } from "eventsource-parser/stream";
import { type Column, DataRow } from "../../components/data_table.tsx";
import type { Feed, View } from "../../page.ts";
import { type Summary, summary } from "./answer.ts";
import { columnsOf, hrefOf, keyNames } from "./columns.tsx";
import { requestMessages } from "./messages.ts";

/**
 * Requests as they end, as server-sent events: `row` is a row of the list as markup, made by what makes
 * the list; `lost` is how many could not be shown.
 */
export const tailFeed: Feed = { path: "/feeds/requests/tail", method: "GET", answer };

async function answer(view: View, request: Request): Promise<Response> {
  const columns = columnsOf(view, await keyNames(view));
  const { signal } = request;
  const tail = await view.api.ask(`/requests/tail${new URL(request.url).search}`, { signal });
  if (!tail.ok || tail.body === null) return tail;
  const events = tail.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onComment: () => {} }))
    .pipeThrough(toRows(columns))
    .pipeThrough(new TextEncoderStream());
  return new Response(events, { headers: { "content-type": "text/event-stream" } });
}

function toRows(columns: readonly Column<Summary>[]) {
  return new TransformStream<{ event?: string | undefined; data: string }, string>({
    // Headers leave with the first byte.
    start: (controller) => controller.enqueue(": tail\n\n"),
    async transform({ event, data }, controller) {
      if (event === "lost") controller.enqueue(`event: lost\ndata: ${data}\n\n`);
      if (event !== "request") return;
      const row = summary.parse(JSON.parse(data));
      const markup = await (<DataRow columns={columns} row={row} href={hrefOf} />).toString();
      controller.enqueue(`event: row\ndata: ${JSON.stringify(markup)}\n\n`);
    },
  });
}

/** Begins the live view; there is none without a script, and so no button. */
export function TailButton({ view }: { view: View }) {
  const say = view.say(requestMessages);
  return (
    <button
      type="button"
      class="button"
      data-tail-switch=""
      data-stop={say.liveStop}
      aria-pressed="false"
      hidden
    >
      {say.liveStart}
    </button>
  );
}

/** Where the live view shows its rows, until then hidden. */
export function Tail(
  { view, conditions, columns }: {
    view: View;
    conditions: URLSearchParams;
    columns: readonly Column<Summary>[];
  },
) {
  const say = view.say(requestMessages);
  // What ends now is in the time that is asked for, unless that is over.
  conditions.delete("since");
  return (
    <section
      class="tail panel"
      data-tail={`/console/feeds/requests/tail?${conditions}`}
      aria-labelledby="tail-title"
      hidden
    >
      <header class="panel-head">
        <h2 id="tail-title">{say.live}</h2>
        <div class="actions">
          <button type="button" class="button" data-tail-pause="" data-resume={say.resume}>
            {say.pause}
          </button>
        </div>
      </header>
      <p class="hint" data-tail-lost={say.liveLost} hidden></p>
      <p
        class="hint"
        role="status"
        data-tail-said=""
        data-seen={say.liveSeen}
        data-held={say.liveHeld}
        data-broken={say.liveBroken}
        data-ended={say.liveEnded}
      >
        {say.liveWaiting}
      </p>
      <div class="scroll" tabindex={0} role="region" aria-label={say.liveCaption}>
        <table>
          <caption class="unseen">{say.liveCaption}</caption>
          <thead>
            <tr>
              {columns.map(({ title, align }) => (
                <th scope="col" class={align === "end" ? "end" : undefined}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody></tbody>
        </table>
      </div>
    </section>
  );
}
