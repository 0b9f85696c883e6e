import { ServiceFault } from "../domain/fault.ts";
import { SignInPanel } from "./components/sign_in_panel.tsx";
import { cameByHttps, cookiesOf, setCookie } from "./cookies.ts";
import type { ConsoleContext, ConsoleEnv } from "./env.ts";
import { htmlResponse } from "./html.tsx";
import { sharedMessages } from "./messages/shared.ts";
import { signInMessages } from "./messages/sign_in.ts";
import type { ConsoleParts } from "../admin/deps.ts";
import { readForm } from "./read_form.ts";
import type { View } from "./page.ts";
import type { Flash, Session, Sessions } from "./sessions.ts";
import { viewOf } from "./view.ts";
import { wantsPage } from "./wants_page.ts";
import type { Hono, MiddlewareHandler } from "@hono/hono";

const SIGN_IN = "/console/sign-in";
const SIGN_OUT = "/console/sign-out";
const SIGN_OUT_EVERYWHERE = "/console/sign-out-everywhere";

/** The parts that the sign-in works with. */
export interface SignInDeps extends ConsoleParts {
  readonly sessions: Sessions;
}

/** `/console/sign-in`, the one page for those who have not signed in. */
export function serveSignIn(app: Hono<ConsoleEnv>, deps: SignInDeps): void {
  app.get(SIGN_IN, (context) => {
    if (sessionOf(context, deps) === undefined) return signInPage(context, deps, { status: 200 });
    return context.redirect(nextOf(context), 303);
  });
  app.post(SIGN_IN, (context) => signIn(context, deps));
}

/** `/console/sign-out` ends this session, `/console/sign-out-everywhere` all of them. */
export function serveSignOut(app: Hono<ConsoleEnv>, deps: SignInDeps): void {
  app.post(SIGN_OUT, async (context) => {
    deps.sessions.end(context.get("session").id);
    await endPlayground(context, deps);
    return leave(context, "out");
  });
  app.post(SIGN_OUT_EVERYWHERE, async (context) => {
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
    const { pathname, search } = new URL(req.url);
    if ([SIGN_OUT, SIGN_OUT_EVERYWHERE].includes(pathname)) return leave(context, "out");
    if (req.method === "POST") return toSignIn(context, { next: pathname, ended: "yes" });
    if (req.header("sec-fetch-site") === "cross-site") return askAgain(context, pathname + search);
    return toSignIn(context, { next: pathname + search });
  };
}

function toSignIn(context: ConsoleContext, query: Readonly<Record<string, string>>): Response {
  return context.redirect(`${SIGN_IN}?${new URLSearchParams(query)}`, 303);
}

/**
 * Answers a browser that follows a link from another site: by `SameSite=Strict` it sends no cookie,
 * signed in or not. A page of ours that requests the same address again gets the page.
 */
async function askAgain(context: ConsoleContext, address: string): Promise<Response> {
  const { product } = sharedMessages[context.get("language")];
  const page = await (
    <html lang={context.get("language")}>
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content={`0; url=${address}`} />
        <title>{product}</title>
      </head>
      <body>
        <a href={address}>{product}</a>
      </body>
    </html>
  ).toString();
  return context.html(`<!doctype html>${page}`);
}

/** Returns the path to go to after the sign-in: a path of the console, whatever the address says. */
export function localPath(next: string | null): string {
  const base = "http://console.invalid";
  if (next === null || !URL.canParse(next, base)) return "/console";
  const { origin, pathname, search } = new URL(next, base);
  const isHere = origin === base && (pathname === "/console" || pathname.startsWith("/console/"));
  const isDoor = pathname.startsWith(SIGN_IN) || pathname.startsWith(SIGN_OUT);
  return isHere && !isDoor ? pathname + search : "/console";
}

function nextOf(context: ConsoleContext): string {
  return localPath(new URL(context.req.url).searchParams.get("next"));
}

/** Browsers do not tell two ports of a host apart: each console has a cookie of its own name there. */
function cookieName(context: ConsoleContext): string {
  const { port } = new URL(context.req.url);
  return port === "" ? "svc_session" : `svc_session_${port}`;
}

function sessionOf(context: ConsoleContext, { sessions }: SignInDeps): Session | undefined {
  for (const id of cookiesOf(context.req.header("cookie"), cookieName(context))) {
    const session = sessions.find(id);
    if (session !== undefined) return session;
  }
  return undefined;
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
  context.header("set-cookie", setCookie(cookieName(context), id, { isSecure }));
  return context.redirect(nextOf(context), 303);
}

function leave(context: ConsoleContext, how: "out" | "everywhere"): Response {
  const isSecure = cameByHttps(context.req.raw.headers);
  context.header("set-cookie", setCookie(cookieName(context), "", { maxAgeSeconds: 0, isSecure }));
  return context.redirect(`${SIGN_IN}?signed=${how}`, 303);
}

async function signInPage(
  context: ConsoleContext,
  deps: SignInDeps,
  { status, problem }: { status: number; problem?: string },
): Promise<Response> {
  const view = viewOf(context, deps);
  return await htmlResponse({
    view,
    title: view.say(signInMessages).title,
    flash: problem === undefined ? flashOf(view) : undefined,
    children: <SignInPanel view={view} problem={problem} />,
  }, { status, headers: context.res.headers });
}

/** Returns the reason for the sign-in. */
function flashOf({ query, say }: View): Flash | undefined {
  const { signedOut, signedOutEverywhere, ended } = say(signInMessages);
  if (query.get("ended") === "yes") return { kind: "info", text: ended };
  const signed = query.get("signed");
  if (signed === "out") return { kind: "done", text: signedOut };
  return signed === "everywhere" ? { kind: "done", text: signedOutEverywhere } : undefined;
}
