import { sharedMessages } from "../messages/shared.ts";
import type { InReading } from "../page.ts";

/** Says why a request failed, what to do, and the id under which the service's log has it. */
export function ErrorPage({ view, title, hint }: InReading<{ title: string; hint: string }>) {
  const say = view.say(sharedMessages);
  return (
    <section class="panel problem">
      <h1>{title}</h1>
      <p>{hint}</p>
      <p class="hint">
        {say.requestId}: <code>{view.requestId}</code>
      </p>
    </section>
  );
}
