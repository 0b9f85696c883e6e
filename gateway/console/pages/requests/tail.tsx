import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import type { Summary } from "./answer.ts";
import { requestMessages } from "./messages.ts";

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

/** The table that the live view fills; hidden until it starts. */
export function Tail({ view, conditions, columns }: InView<{
  conditions: URLSearchParams;
  columns: readonly ui.Column<Summary>[];
}>) {
  const say = view.say(requestMessages);
  // What is live is now, whatever time is listed below.
  const live = new URLSearchParams(conditions);
  for (const name of ["since", "until"]) live.delete(name);
  return (
    <section
      class="tail panel"
      data-tail={`/console/feeds/requests/tail?${live}`}
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
      <p class="hint" data-tail-gap="" hidden>{say.liveGap}</p>
      <p class="hint" data-tail-count="" aria-hidden="true">{say.liveWaiting}</p>
      <p
        class="unseen"
        role="status"
        data-tail-said=""
        data-seen={say.liveSeen}
        data-held={say.liveHeld}
        data-broken={say.liveBroken}
        data-ended={say.liveEnded}
      >
        {say.liveWaiting}
      </p>
      <ui.TableFrame
        caption={say.liveCaption}
        look="cards"
        headings={columns.map((column) => <ui.PlainHeading key={column.title} column={column} />)}
      >
        <tbody></tbody>
      </ui.TableFrame>
    </section>
  );
}
