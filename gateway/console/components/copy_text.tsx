import { sharedMessages } from "../messages/shared.ts";
import type { InReading } from "../page.ts";

/** A text to take along, such as a key that is shown once or a command; a script adds a button to copy. */
export function CopyText({ view, label, text }: InReading<{ label: string; text: string }>) {
  const say = view.say(sharedMessages);
  return (
    <div class="copy" data-copy={say.copy} data-copied={say.copied}>
      <pre tabindex={0} role="region" aria-label={label}><code>{text}</code></pre>
    </div>
  );
}
