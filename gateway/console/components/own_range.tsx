import { rangeMessages } from "../messages/range.ts";
import type { Reading } from "../page.ts";

/** From when until when: in UTC, in the reader's own zone once the script has run. */
export function OwnRange({ view }: { view: Reading }) {
  const say = view.say(rangeMessages);
  const zone = view.query.get("zone") ?? "Z";
  return (
    <div class="own-range" data-own-range="">
      {(["since", "until"] as const).map((name) => (
        <label class="filter-field">
          <span>
            {say[name]} (<span data-zone-name="">{zone === "Z" ? "UTC" : `UTC${zone}`}</span>)
          </span>
          <input type="datetime-local" name={name} value={view.query.get(name) ?? ""} />
        </label>
      ))}
      <input type="hidden" name="zone" value={zone} />
    </div>
  );
}
