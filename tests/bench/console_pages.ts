/**
 * The console's own pages, as a browser asks for them: signed in, the whole page read.
 *
 * @module
 */

/** Asks for a page below `/console`; its whole text. */
export type Visit = (path: string) => Promise<string>;

/** Signs in to the console at an address with an admin token. */
export async function consoleVisitor(adminUrl: string, token: string): Promise<Visit> {
  const { origin } = new URL(adminUrl);
  const answer = await fetch(`${origin}/console/sign-in`, {
    method: "POST",
    headers: { origin, accept: "text/html" },
    body: new URLSearchParams({ token }),
    redirect: "manual",
  });
  await answer.body?.cancel();
  const [cookie] = answer.headers.getSetCookie().map((each) => each.split(";")[0] ?? "");
  if (cookie === undefined) throw new Error(`Cannot measure: signing in gave ${answer.status}`);
  return async (path) => {
    const headers = { cookie, accept: "text/html" };
    const page = await fetch(`${origin}/console${path}`, { headers, redirect: "manual" });
    const text = await page.text();
    if (!page.ok) throw new Error(`Cannot measure: /console${path} gave ${page.status}`);
    return text;
  };
}

/** Rows of the log that pages are asked for by, as the operator's API has them. */
export interface KnownRows {
  readonly newest: Readonly<Record<string, unknown>>;
  readonly oldest: Readonly<Record<string, unknown>>;
  readonly deepCursor: string;
}

/** Addresses below `/console` by what is looked at. */
export function consolePages(
  { newest, oldest, deepCursor }: KnownRows,
): Record<string, readonly string[]> {
  const part = encodeURIComponent(String(oldest.requestId).slice(4));
  return {
    "console, overview": ["/overview", "/overview?range=1h"],
    "console, overview of 30 days": ["/overview?range=30d"],
    "console, overview of 7 days": ["/overview?range=7d"],
    "console, requests": ["/requests", "/requests?order=oldest"],
    "console, deep page": [`/requests?cursor=${deepCursor}`],
    "console, one row, far back": [`/requests?q=${part}`],
    "console, nothing found": ["/requests?q=none-such", "/requests?key=nobody"],
    "console, rare status": ["/requests?status=504", "/requests?min_charged=1&range=30d"],
    "console, key and model": [
      `/requests?key=${newest.key}&model=provider%2Fmodel-3`,
      `/requests?key=${newest.key}&status=504`,
    ],
    "console, one request": [`/requests/${oldest.id}`, `/requests/${newest.id}`],
    "console, one request by its request id": [`/requests/${oldest.requestId}`],
  };
}
