import * as ui from "../../components/mod.ts";
import type { View } from "../../page.ts";
import { outcomeMessages, type OutcomeName } from "./outcome_messages.ts";

/** How well each of the endings is; only one of them is well. */
const KINDS: Readonly<Record<OutcomeName, ui.BadgeKind>> = {
  ok: "good",
  refused: "warn",
  failed: "bad",
  client_left: "warn",
  cut: "bad",
  killed: "bad",
};

/** How a request ended, as pages tell it: a refusal is the caller's fault, a failure is not. */
export function outcomeOf(
  { outcome, status }: { readonly outcome: string; readonly status: number | null },
): OutcomeName {
  if (outcome === "error") {
    return status !== null && status >= 400 && status < 500 ? "refused" : "failed";
  }
  const isKnown = outcome === "ok" || outcome === "client_left" || outcome === "cut";
  return isKnown ? outcome : outcome === "killed" ? "killed" : "failed";
}

/** The kind of colour that an ending has. */
export function outcomeKind(name: OutcomeName): ui.BadgeKind {
  return KINDS[name];
}

/** How a request ended, in a word. */
export function OutcomeBadge(
  { view, ...ending }: { view: View; outcome: string; status: number | null },
) {
  const name = outcomeOf(ending);
  return <ui.Badge kind={KINDS[name]}>{view.say(outcomeMessages).names[name]}</ui.Badge>;
}
