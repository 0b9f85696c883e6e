/** Whether somebody looks at what is answered; scripts ask for events or JSON. */
export function wantsPage(headers: Headers): boolean {
  return headers.get("accept")?.includes("text/html") === true;
}
