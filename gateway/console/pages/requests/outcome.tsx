import * as ui from "../../components/mod.ts";
import type { Reading } from "../../page.ts";
import { outcomeMessages, type OutcomeName } from "./outcome_messages.ts";

/** The badge of each outcome. */
const KINDS: Readonly<Record<OutcomeName, ui.BadgeKind>> = {
  ok: "good",
  refused: "warn",
  failed: "bad",
  client_left: "warn",
  cut: "bad",
  killed: "bad",
};

/** Returns the outcome of a request as pages name it: a refusal is the caller's fault, a failure is not. */
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

/** The outcome of a request, in a word. */
export function OutcomeBadge(
  { view, ...ending }: { view: Reading; outcome: string; status: number | null },
) {
  const name = outcomeOf(ending);
  return <ui.Badge kind={KINDS[name]}>{view.say(outcomeMessages).names[name]}</ui.Badge>;
}
