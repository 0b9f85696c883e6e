import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import { catalogMessages } from "./messages.ts";
import type { ModelState } from "./content.ts";

const KINDS: Readonly<Record<string, ui.BadgeKind>> = {
  available: "good",
  degraded: "warn",
  disabled: "neutral",
  "no credentials": "bad",
};

/**
 * The availability of a model to routing, with the reason where it is unavailable and there is room for
 * it.
 */
export function StateBadge({ view, state, isFull }: InView<{
  state: Pick<ModelState, "status" | "reason" | "retryAfterMs"> | undefined;
  isFull?: boolean;
}>) {
  const { states, retryIn } = view.say(catalogMessages);
  if (state === undefined) return <>–</>;
  const { status, reason, retryAfterMs } = state;
  const known = Object.entries(states).find(([id]) => id === status)?.[1];
  const again = retryAfterMs === null ? undefined : retryIn(Math.ceil(retryAfterMs / 1_000));
  const why = [reason, again].filter((each) => each !== null && each !== undefined).join(" · ");
  return (
    <span title={why === "" || isFull ? undefined : ui.shownText(why)}>
      <ui.Badge kind={KINDS[status] ?? "neutral"}>{known ?? status}</ui.Badge>
      {isFull && status !== "disabled" && why !== "" && (
        <span class="hint">{ui.shownText(why)}</span>
      )}
    </span>
  );
}
