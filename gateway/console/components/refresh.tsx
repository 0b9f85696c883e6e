import { sharedMessages } from "../messages/shared.ts";
import type { InReading } from "../page.ts";

/**
 * Says how fresh a page is, and pauses its refreshing: its parts that are marked `data-fresh` are asked
 * for again. Needs the script `fresh.js`; without it there is none, and nothing is shown.
 */
export function Refresh({ view, everyMs }: InReading<{ everyMs: number }>) {
  const say = view.say(sharedMessages);
  return (
    <div class="refresh" data-refresh={everyMs} data-ended={say.refreshEnded} hidden>
      <span class="refresh-dot" aria-hidden="true"></span>
      <span class="muted" data-refresh-said={say.refreshed}>
        {say.refreshes(Math.round(everyMs / 1_000))}
      </span>
      <button type="button" class="button quiet" aria-pressed="false" data-resume={say.resume}>
        {say.pause}
      </button>
    </div>
  );
}
