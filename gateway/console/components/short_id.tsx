import { sharedMessages } from "../messages/shared.ts";
import type { InReading } from "../page.ts";

/** Characters of an id that is shown whole. */
const WHOLE_MAX = 20;
const [HEAD, TAIL] = [8, 8];

/** An id in one short line; the whole of it is in the title. */
export function ShortId({ id }: { id: string }) {
  return <code class="id" title={id}>{shortId(id)}</code>;
}

/** Its beginning and its end, which is where ids differ. */
export function shortId(id: string): string {
  const letters = [...id];
  if (letters.length <= WHOLE_MAX) return id;
  return `${letters.slice(0, HEAD).join("")}…${letters.slice(-TAIL).join("")}`;
}

/** A button that copies a text. It is hidden until the script shows it, since only that can copy. */
export function CopyButton({ view, text, what }: InReading<{ text: string; what: string }>) {
  const say = view.say(sharedMessages);
  return (
    <button
      type="button"
      class="copy-text"
      data-copy-text={text}
      data-copied={say.copied}
      title={say.copyWhat(what)}
      aria-label={say.copyWhat(what)}
    >
      <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
        <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
        <path d="M10.5 3v-.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1H3" />
      </svg>
    </button>
  );
}
