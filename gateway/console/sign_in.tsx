import { ServiceFault } from "../domain/fault.ts";
import { SignInPanel } from "./components/sign_in_panel.tsx";
import { cameByHttps, cookieOf, setCookie } from "./cookies.ts";
import type { ConsoleContext, ConsoleEnv } from "./env.ts";
import { htmlResponse } from "./html.tsx";
import { signInMessages } from "./messages/sign_in.ts";
import type { ConsoleDeps } from "./mount.ts";
import { readForm } from "./read_form.ts";
import type { Session, Sessions } from "./sessions.ts";
import { viewOf } from "./view.ts";
import { wantsPage } from "./wants_page.ts";
import type { Hono, MiddlewareHandler } from "@hono/hono";

const COOKIE = "svc_session";
const SIGN_IN = "/console/sign-in";

/** What the sign-in works with. */
export interface SignInDeps extends ConsoleDeps {
  readonly sessions: Sessions;
}

/** `/console/sign-in`, the one page for those who have not signed in. */
export function serveSignIn(app: Hono<ConsoleEnv>, deps: SignInDeps): void {
  app.get(SIGN_IN, (context) => signInPage(context, deps, { status: 200 }));
  app.post(SIGN_IN, (context) => signIn(context, deps));
}

/** `/console/sign-out` ends this session, `/console/sign-out-everywhere` all of them. */
export function serveSignOut(app: Hono<ConsoleEnv>, deps: SignInDeps): void {
  app.post("/console/sign-out", async (context) => {
    deps.sessions.end(context.get("session").id);
    await endPlayground(context, deps);
    return leave(context, "out");
  });
  app.post("/console/sign-out-everywhere", async (context) => {
    deps.sessions.endAll();
    await endPlayground(context, deps);
    return leave(context, "everywhere");
  });
}

/** Revokes the keys that the playground has made; where that fails, they are over within minutes. */
async function endPlayground(context: ConsoleContext, deps: SignInDeps): Promise<void> {
  const answer = await viewOf(context, deps).api.ask("/playground", { method: "DELETE" });
  await answer.body?.cancel();
}

/** Lets pass who has signed in; a page sends others to the sign-in, which leads back to it. */
export function requireSession(deps: SignInDeps): MiddlewareHandler<ConsoleEnv> {
  return async function findSession(context, next): Promise<Response | void> {
    const session = sessionOf(context, deps);
    if (session !== undefined) {
      context.set("session", session);
      return await next();
    }
    const { req } = context;
    if (!wantsPage(req.raw.headers)) {
      return context.json({ error: { message: "Sign in to the console" } }, 401);
    }
    const url = new URL(req.url);
    const query = new URLSearchParams({ next: url.pathname + url.search });
    return context.redirect(`${SIGN_IN}?${query}`, 303);
  };
}

/** Where to go after the sign-in: a path of the console, whatever the address says. */
export function localPath(next: string | null): string {
  const base = "http://console.invalid";
  if (next === null || !URL.canParse(next, base)) return "/console";
  const { origin, pathname, search } = new URL(next, base);
  const isHere = origin === base && (pathname === "/console" || pathname.startsWith("/console/"));
  return isHere && !pathname.startsWith(SIGN_IN) ? pathname + search : "/console";
}

function sessionOf(context: ConsoleContext, { sessions }: SignInDeps): Session | undefined {
  const id = cookieOf(context.req.header("cookie"), COOKIE);
  return id === undefined ? undefined : sessions.find(id);
}

async function signIn(context: ConsoleContext, deps: SignInDeps): Promise<Response> {
  const { sessions, admit, tokenEpoch } = deps;
  const form = await readForm(context.req.raw);
  const secret = form.get("token")?.trim() ?? "";
  const messages = signInMessages[context.get("language")];
  if (secret === "") return signInPage(context, deps, { status: 422, problem: messages.missing });
  // Read before the token is looked up: one that is replaced meanwhile begins no session.
  const epoch = tokenEpoch();
  try {
    const { remoteAddress } = context.env;
    if (!await admit({ secret, remoteAddress })) {
      return signInPage(context, deps, { status: 401, problem: messages.wrong });
    }
  } catch (error) {
    if (!(error instanceof ServiceFault) || error.code !== "rate_limit_exceeded") throw error;
    const seconds = Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000));
    context.header("retry-after", String(seconds));
    return signInPage(context, deps, { status: 429, problem: messages.wait(seconds) });
  }
  const former = sessionOf(context, deps);
  if (former !== undefined) sessions.end(former.id);
  const { id } = sessions.begin(epoch);
  const isSecure = cameByHttps(context.req.raw.headers);
  context.header("set-cookie", setCookie(COOKIE, id, { isSecure }));
  return context.redirect(localPath(new URL(context.req.url).searchParams.get("next")), 303);
}

function leave(context: ConsoleContext, how: "out" | "everywhere"): Response {
  const isSecure = cameByHttps(context.req.raw.headers);
  context.header("set-cookie", setCookie(COOKIE, "", { maxAgeSeconds: 0, isSecure }));
  return context.redirect(`${SIGN_IN}?signed=${how}`, 303);
}

async function signInPage(
  context: ConsoleContext,
  deps: SignInDeps,
  { status, problem }: { status: number; problem?: string },
): Promise<Response> {
  const view = viewOf(context, deps);
  const say = view.say(signInMessages);
  const signed = view.query.get("signed");
  const done = signed === "out" ? say.signedOut : say.signedOutEverywhere;
  return await htmlResponse({
    view,
    title: say.title,
    flash: signed === null || problem !== undefined ? undefined : { kind: "done", text: done },
    children: <SignInPanel view={view} problem={problem} />,
  }, { status, headers: context.res.headers });
}
