import { Hono } from "@hono/hono";
import { logFault } from "../admin/log_fault.ts";
import { errorResponse, faultOf } from "../http/error_response.ts";
import { serveAsset } from "./assets.ts";
import { ErrorPage } from "./components/error_page.tsx";
import type { Bar } from "./components/layout.tsx";
import type { Answering, ConsoleContext, ConsoleEnv } from "./env.ts";
import { htmlResponse } from "./html.tsx";
import { sharedMessages } from "./messages/shared.ts";
import type { ConsoleParts } from "../admin/deps.ts";
import type { Outcome, Page, Section, Shown, View } from "./page.ts";
import { preferences } from "./preferences.ts";
import { PAGE_FORM_LIMIT_BYTES, readForm } from "./read_form.ts";
import { isSameOrigin } from "./same_origin.ts";
import { SECTIONS } from "./sections.ts";
import { securityHeaders } from "./security_headers.ts";
import { requireSession, serveSignIn, serveSignOut } from "./sign_in.tsx";
import { serveSignOn } from "./sign_on.ts";
import { RefusedPage, viewOf } from "./view.ts";
import { wantsPage } from "./wants_page.ts";

/** Path prefix of the feeds that scripts fetch. */
const FEEDS = "/console/feeds/";

/** The console: pages for operators who have signed in, over the operator's API. */
export function createConsole(
  deps: ConsoleParts,
  sections: readonly Section[] = SECTIONS,
): Answering {
  // An address that is typed in may end in a slash.
  const app = new Hono<ConsoleEnv>({ strict: false });
  app.onError((error, context) => errorAnswer(error, context, deps));
  app.notFound((context) => {
    const { notFound, notFoundHint } = sharedMessages[context.get("language") ?? "en"];
    return problemPage(context, deps, { title: notFound, hint: notFoundHint, status: 404 });
  });
  app.use(securityHeaders());
  app.get(
    "/console/assets/:version/:name",
    ({ req }) => serveAsset(req.param("version"), req.param("name")),
  );
  app.use(preferences());
  app.use(async (context, next) => {
    const { method, raw } = context.req;
    if (method === "GET" || method === "HEAD" || isSameOrigin(raw.headers)) return await next();
    const { foreign, foreignHint } = sharedMessages[context.get("language")];
    return problemPage(context, deps, { title: foreign, hint: foreignHint, status: 403 });
  });
  serveSignIn(app, deps);
  serveSignOn(app, deps);
  app.use(requireSession(deps));
  serveSignOut(app, deps);
  const first = sections.find(({ pages }) => pages.length > 0);
  app.get("/console", (context) => context.redirect(`/console${first?.path ?? "/"}`, 303));
  for (const section of sections) serveSection(app, section, { deps, sections });
  return app;
}

/** The parts that every page is shown with. */
interface Frame {
  readonly deps: ConsoleParts;
  readonly sections: readonly Section[];
}

function serveSection(app: Hono<ConsoleEnv>, section: Section, frame: Frame): void {
  for (const page of section.pages) servePage(app, page, frame);
  for (const { path, method, answer } of section.feeds ?? []) {
    app.on(
      method,
      `/console${path}`,
      (context) => answer(viewOf(context, frame.deps), context.req.raw),
    );
  }
}

function servePage(app: Hono<ConsoleEnv>, page: Page, frame: Frame): void {
  const path = `/console${page.path}`;
  app.get(path, async (context) => {
    const shown = await page.show(viewOf(context, frame.deps));
    return await pageAnswer(context, shown, frame);
  });
  const { change } = page;
  if (change === undefined) return;
  app.post(path, async (context) => {
    const form = await readForm(context.req.raw, PAGE_FORM_LIMIT_BYTES);
    const outcome = await change(viewOf(context, frame.deps), form);
    if (!isGoTo(outcome)) return await pageAnswer(context, outcome, frame);
    const { id } = context.get("session");
    await frame.deps.sessions.say(id, { kind: "done", text: outcome.done });
    return context.redirect(`/console${outcome.goTo}`, 303);
  });
}

/** Returns the bar with the sections that the reader may see. */
function barOf(view: View, sections: readonly Section[]): Bar {
  const { actor, url: { pathname } } = view;
  const links = sections
    .filter(({ pages, right }) =>
      pages.length > 0 && (right === undefined || actor?.rights.includes(right) === true)
    )
    .map(({ title, path }) => {
      const href = `/console${path}`;
      const isHere = pathname === href || pathname.startsWith(`${href}/`);
      return { text: view.say(title), href, isHere };
    });
  return { links, requests: "/console/requests", who: actor?.name, endsAll: true };
}

function isGoTo(outcome: Outcome): outcome is Exclude<Outcome, Shown> {
  return "goTo" in outcome;
}

async function pageAnswer(context: ConsoleContext, shown: Shown, frame: Frame): Promise<Response> {
  const session = context.get("session");
  const { id, flash } = session;
  if (flash !== undefined) await frame.deps.sessions.forgetFlash(id);
  const { title, body, status = 200, scripts } = shown;
  const view = viewOf(context, frame.deps);
  // What answers a form is at no address: to go there would leave it behind, a new key for good.
  const hasSwitches = context.req.method !== "POST";
  return await htmlResponse(
    { view, title, flash, scripts, bar: barOf(view, frame.sections), hasSwitches, children: body },
    { status },
  );
}

async function errorAnswer(
  error: Error,
  context: ConsoleContext,
  deps: ConsoleParts,
): Promise<Response> {
  const say = sharedMessages[context.get("language") ?? "en"];
  const isFeed = new URL(context.req.url).pathname.startsWith(FEEDS);
  const toScript = isFeed && !wantsPage(context.req.raw.headers);
  if (error instanceof RefusedPage) {
    const { status, code, message } = error.refusal;
    if (toScript) return Response.json({ error: { code, message } }, { status });
    return await problemPage(context, deps, { title: say.refused, hint: message, status });
  }
  const fault = faultOf(error);
  const { status, message } = fault;
  if (status >= 500) logFault(deps.logger, fault, context.env.requestId);
  if (toScript) return errorResponse(fault, context.env.requestId);
  const [title, hint] = status < 500 ? [say.refused, message] : [say.failed, say.failedHint];
  return await problemPage(context, deps, { title, hint, status });
}

async function problemPage(
  context: ConsoleContext,
  deps: ConsoleParts,
  { title, hint, status }: { title: string; hint: string; status: number },
): Promise<Response> {
  const view = viewOf(context, deps);
  const isSignedIn = context.get("session") !== undefined;
  return await htmlResponse({
    view,
    title,
    bar: isSignedIn ? barOf(view, SECTIONS) : undefined,
    children: <ErrorPage view={view} title={title} hint={hint} />,
  }, { status });
}
