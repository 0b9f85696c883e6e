import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { RefusedPage } from "../../view.ts";
import type { Key } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** A key's status, or that its time is over. */
export type KeyState = Key["status"] | "expired";

/** Every state, in the order in which they are worth a look. */
export const KEY_STATES: readonly KeyState[] = ["active", "disabled", "expired", "revoked"];

const KINDS: Readonly<Record<KeyState, ui.BadgeKind>> = {
  active: "good",
  disabled: "warn",
  expired: "warn",
  revoked: "bad",
};

/** Returns the state of a key. */
export function stateOf(key: Key, nowMs: number): KeyState {
  const { expiresAt } = key.policy;
  const isOver = expiresAt !== undefined && !(nowMs < Date.parse(expiresAt));
  return key.status === "revoked" || !isOver ? key.status : "expired";
}

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
