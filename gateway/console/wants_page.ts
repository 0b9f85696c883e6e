/** True when a browser expects a page; scripts expect events or JSON. */
export function wantsPage(headers: Headers): boolean {
  return headers.get("accept")?.includes("text/html") === true;
}
