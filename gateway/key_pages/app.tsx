import { Hono } from "@hono/hono";
import { logFault } from "../admin/log_fault.ts";
import { serveAsset } from "../console/assets.ts";
import { ErrorPage } from "../console/components/error_page.tsx";
import type { Bar } from "../console/components/layout.tsx";
import { htmlResponse } from "../console/html.tsx";
import { sharedMessages } from "../console/messages/shared.ts";
import type { Reading } from "../console/page.ts";
import { preferences } from "../console/preferences.ts";
import { isSameOrigin } from "../console/same_origin.ts";
import { securityHeaders } from "../console/security_headers.ts";
import type { HolderSession } from "../flows/keys/holder_access.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import { CALLER_DISCONNECTED_STATUS } from "../flows/request/log_failure.ts";
import { faultOf } from "../http/error_response.ts";
import type { Answering } from "../http/public_app.ts";
import { keyPage } from "./key.tsx";
import { ownMessages } from "./messages.ts";
import type { KeyPageParts } from "./parts.ts";
import { requestPage } from "./request.tsx";
import { requestsPage } from "./requests.tsx";
import { requireSession, serveSignIn } from "./sign_in.tsx";
import { usagePage } from "./usage.tsx";
import {
  BASE,
  type HolderPage,
  type HolderView,
  type KeyPageContext,
  type KeyPageEnv,
  readingOf,
} from "./view.ts";

/** The pages by their paths below `/me`. */
const PAGES: Readonly<Record<string, (view: HolderView) => Promise<HolderPage>>> = {
  "/key": keyPage,
  "/usage": usagePage,
  "/requests": requestsPage,
  "/requests/:id": requestPage,
};

/** The pages of key holders. All but the sign-in and the sign-out answer `GET` alone. */
export function createKeyPages(parts: KeyPageParts): Answering {
  const app = new Hono<KeyPageEnv>({ strict: false });
  app.onError((error, context) => errorAnswer(error, context, parts));
  app.notFound((context) => {
    const { notFound, notFoundHint } = sharedMessages[context.get("language") ?? "en"];
    return problemPage(context, parts, { title: notFound, hint: notFoundHint, status: 404 });
  });
  app.use(securityHeaders());
  app.use(async (context, next) => {
    await next();
    context.res.headers.set("x-request-id", context.env.requestId);
  });
  app.get(
    `${BASE}/assets/:version/:name`,
    ({ req }) => serveAsset(req.param("version"), req.param("name")),
  );
  app.use(preferences(BASE));
  app.use(async (context, next) => {
    const { method, raw } = context.req;
    if (method === "GET" || method === "HEAD" || isSameOrigin(raw.headers)) return await next();
    const { foreign, foreignHint } = sharedMessages[context.get("language")];
    return problemPage(context, parts, { title: foreign, hint: foreignHint, status: 403 });
  });
  serveSignIn(app, parts);
  app.use(requireSession(parts));
  app.get(BASE, (context) => context.redirect(`${BASE}/key`, 303));
  for (const [path, show] of Object.entries(PAGES)) {
    app.get(BASE + path, async (context) => {
      const view = holderView(context, parts);
      parts.records.count(view.session.key);
      const { title, body, status = 200, scripts } = await show(view);
      const bar = barOf(view, view.session);
      return await htmlResponse({ view, title, scripts, bar, children: body }, { status });
    });
  }
  return app;
}

function holderView(context: KeyPageContext, { records, clock }: KeyPageParts): HolderView {
  return {
    ...readingOf(context, clock.nowMs()),
    ...{ session: context.get("session"), records, signal: context.req.raw.signal },
  };
}

function barOf({ url: { pathname }, say }: Reading, { key }: HolderSession): Bar {
  const names = say(ownMessages).sections;
  const links = (["key", "usage", "requests"] as const).map((name) => {
    const href = `${BASE}/${name}`;
    const isHere = pathname === href || pathname.startsWith(`${href}/`);
    return { text: names[name], href, isHere };
  });
  return { links, requests: `${BASE}/requests`, who: key.name, endsAll: false };
}

async function errorAnswer(
  error: Error,
  context: KeyPageContext,
  parts: KeyPageParts,
): Promise<Response> {
  if (error instanceof CallerDisconnected) {
    return new Response(null, { status: CALLER_DISCONNECTED_STATUS });
  }
  const say = sharedMessages[context.get("language") ?? "en"];
  const fault = faultOf(error);
  const { status, message } = fault;
  if (status >= 500) logFault(parts.logger, fault, context.env.requestId);
  const [title, hint] = status < 500 ? [say.refused, message] : [say.failed, say.failedHint];
  return await problemPage(context, parts, { title, hint, status });
}

async function problemPage(
  context: KeyPageContext,
  { clock }: KeyPageParts,
  { title, hint, status }: { readonly title: string; readonly hint: string; status: number },
): Promise<Response> {
  const view = readingOf(context, clock.nowMs());
  const session = context.get("session");
  return await htmlResponse({
    view,
    title,
    bar: session && barOf(view, session),
    children: <ErrorPage view={view} title={title} hint={hint} />,
  }, { status });
}
