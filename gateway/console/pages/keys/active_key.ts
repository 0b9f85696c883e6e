import type { View } from "../../page.ts";
import { RefusedPage } from "../../view.ts";
import type { Key } from "./answers.ts";
import { keyMessages } from "./messages.ts";

/** The key that a page's path names, to ask what is to become of it; one that is revoked ends the page. */
export async function activeKey(view: View): Promise<Key> {
  const key = await view.load("GET /keys/{id}", { id: view.param("id") });
  if (key.status !== "revoked") return key;
  const message = view.say(keyMessages).isRevoked(key.name);
  throw new RefusedPage({ status: 409, code: "conflict", message, param: null });
}
