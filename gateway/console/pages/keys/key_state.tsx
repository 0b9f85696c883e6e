import { type KeyState, stateOf } from "../../../domain/policy/key.ts";
import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { RefusedPage } from "../../view.ts";
import type { Key } from "./answers.ts";
import { keyMessages } from "./messages.ts";

const KINDS: Readonly<Record<KeyState, ui.BadgeKind>> = {
  active: "good",
  disabled: "warn",
  expired: "warn",
  revoked: "bad",
};

/** The state of a key, as a word. */
export function KeyBadge({ view, of }: InView<{ of: Key }>) {
  const state = stateOf(of, view.nowMs);
  return <ui.Badge kind={KINDS[state]}>{view.say(keyMessages).states[state]}</ui.Badge>;
}

/** The key that a page's path names. */
export function keyOf(view: View): Promise<Key> {
  return view.load("GET /keys/{id}", { id: view.param("id") });
}

/** The key that a page's path names, to ask what is to become of it; one that is revoked ends the page. */
export async function activeKey(view: View): Promise<Key> {
  const key = await keyOf(view);
  if (key.status !== "revoked") return key;
  const message = view.say(keyMessages).isRevoked(key.name);
  throw new RefusedPage({ status: 409, code: "conflict", message, param: null });
}
