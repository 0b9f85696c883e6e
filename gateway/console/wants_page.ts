import { accepts } from "@std/http/negotiation";

/** True for a browser that loads a page; scripts ask for events or JSON. */
export function wantsPage(headers: Headers): boolean {
  return accepts({ headers }, "application/json", "text/html") === "text/html";
}
