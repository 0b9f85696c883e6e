import type { Child } from "@hono/hono/jsx";
import { Layout, type LayoutProps } from "./components/layout.tsx";
import type { Language } from "./messages/catalogue.ts";
import { shownMarkup } from "./components/shown_text.ts";

/** A page as an answer. */
export async function htmlResponse(
  props: LayoutProps & { readonly children: Child },
  init: ResponseInit = {},
): Promise<Response> {
  const page = shownMarkup(await (<Layout {...props} />).toString());
  const headers = new Headers(init.headers);
  headers.set("content-type", "text/html; charset=utf-8");
  return new Response(`<!doctype html>${page}`, { ...init, headers });
}

/** A page that requests an address again, now as one of ours. */
export async function againResponse(
  address: string,
  { language, title }: { readonly language: Language; readonly title: string },
): Promise<Response> {
  const page = await (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content={`0; url=${address}`} />
        <title>{title}</title>
      </head>
      <body>
        <a href={address}>{title}</a>
      </body>
    </html>
  ).toString();
  return new Response(`<!doctype html>${page}`, {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}
