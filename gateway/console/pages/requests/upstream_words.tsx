import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import type { TimedAttempt } from "./answer.ts";
import { requestPageMessages } from "./request_messages.ts";

/** Upstreams' words of failed attempts: redacted by the API, and no answer of ours. */
export function UpstreamWords({ view, attempts }: InView<{ attempts: readonly TimedAttempt[] }>) {
  const say = view.say(requestPageMessages);
  return (
    <>
      {attempts.map(({ model, words }) =>
        words === null ? null : (
          <details class="said" open>
            <summary>{say.words(model)}</summary>
            <pre
              tabindex={0}
              role="region"
              aria-label={say.words(model)}
            >{ui.shownText(words)}</pre>
          </details>
        )
      )}
    </>
  );
}
