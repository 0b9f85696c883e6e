import type { Child } from "@hono/hono/jsx";
import { Layout, type LayoutProps } from "./components/layout.tsx";
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
