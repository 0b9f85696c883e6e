import { accepts } from "@std/http/negotiation";

/** True when a browser expects a page; scripts expect events or JSON. */
export function wantsPage(headers: Headers): boolean {
  return accepts({ headers }, "application/json", "text/html") === "text/html";
}
