import * as ui from "../../components/mod.ts";
import { rangeMessages } from "../../messages/range.ts";
import type { InView } from "../../page.ts";

/** Times that are one click away, and a form for any other. */
export function RangePicker({ view, range }: InView<{ range: ui.TimeRange }>) {
  const say = view.say(rangeMessages);
  const path = view.url.pathname;
  const kept = ["sort", "by"].flatMap((name) => {
    const value = view.query.get(name);
    return value === null ? [] : [[name, value]];
  });
  const isOwn = range.choice === "own";
  return (
    <div class="range-picker">
      <nav class="switch" aria-label={say.time}>
        {ui.SPANS.map((span) => {
          const query = new URLSearchParams([["range", span], ...kept]);
          const isHere = range.choice === span;
          return (
            <a href={`${path}?${query}`} aria-current={isHere ? "true" : undefined}>
              {say.spans[span]}
            </a>
          );
        })}
      </nav>
      <details open={isOwn}>
        <summary>{say.own}</summary>
        <form method="get" action={path} class="filter">
          <input type="hidden" name="range" value="own" />
          {kept.map(([name, value]) => (
            <input
              key={name}
              type="hidden"
              name={name}
              value={value}
            />
          ))}
          <ui.OwnRange view={view} />
          <button type="submit" class="button">{say.show}</button>
        </form>
      </details>
    </div>
  );
}
