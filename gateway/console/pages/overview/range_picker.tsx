import * as ui from "../../components/mod.ts";
import { rangeMessages } from "../../messages/range.ts";
import type { InView } from "../../page.ts";

/** Times that are one click away, and a form for any other. */
export function RangePicker({ view, range }: InView<{ range: ui.TimeRange }>) {
  const say = view.say(rangeMessages);
  const path = view.url.pathname;
  const order = ["sort", "by"].flatMap((name) => {
    const value = view.query.get(name);
    return value === null ? [] : [[name, value]];
  });
  const links = ui.SPANS.map((span) => ({
    text: say.spans[span],
    href: `${path}?${new URLSearchParams([["range", span], ...order])}`,
    isHere: range.choice === span,
  }));
  const isOwn = range.choice === "own";
  return (
    <div class="range-picker">
      <ui.LinkNav look="switch" label={say.time} links={links} />
      <details open={isOwn}>
        <summary>{say.own}</summary>
        <form method="get" action={path} class="filter">
          <ui.HiddenFields values={{ range: "own", ...Object.fromEntries(order) }} />
          <ui.OwnRange view={view} />
          <button type="submit" class="button">{say.show}</button>
        </form>
      </details>
    </div>
  );
}
