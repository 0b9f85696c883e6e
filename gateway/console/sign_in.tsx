import { ServiceFault } from "../domain/fault.ts";
import { SignInPanel } from "./components/sign_in_panel.tsx";
import { cameByHttps, cookiesOf, setCookie } from "./cookies.ts";
import type { ConsoleContext, ConsoleEnv } from "./env.ts";
import { againResponse, htmlResponse } from "./html.tsx";
import { sharedMessages } from "./messages/shared.ts";
import { signInMessages } from "./messages/sign_in.ts";
import type { Actor } from "../domain/operators/operator.ts";
import type { Admitted } from "../flows/operators/operators.ts";
import { sessionState } from "../admin/operators/sessions.ts";
import type { ConsoleParts } from "../admin/deps.ts";
import { readForm } from "./read_form.ts";
import type { View } from "./page.ts";
import type { TrailAuthor } from "../domain/operators/trail.ts";
import type { Flash } from "../ports/console_session_store.ts";
import { RefusedSignIns } from "../flows/operators/refused_sign_ins.ts";
import type { Session, SignIn } from "../flows/operators/sessions.ts";
import { viewOf } from "./view.ts";
import { wantsPage } from "./wants_page.ts";
import type { Hono, MiddlewareHandler } from "@hono/hono";

/** Path of the page for those who have not signed in. */
export const SIGN_IN = "/console/sign-in";
const SIGN_OUT = "/console/sign-out";
/** Subject of the entries of the audit log on sign-ins. */
const SUBJECT = "/console";
const SIGN_OUT_EVERYWHERE = "/console/sign-out-everywhere";

/** `/console/sign-in`, the one page for those who have not signed in. */
export function serveSignIn(app: Hono<ConsoleEnv>, deps: ConsoleParts): void {
  app.get(SIGN_IN, async (context) => {
    if (await sessionOf(context, deps) === undefined) {
      return signInPage(context, deps, { status: 200 });
    }
    return context.redirect(nextOf(context), 303);
  });
  const refused = new RefusedSignIns(deps.clock);
  const noteRefusal = async (context: ConsoleContext, reason: string) => {
    const remark = refused.remark(reason);
    if (remark === undefined) return;
    const actor = { kind: "nobody", id: "nobody", name: "Nobody" } as const;
    await noteRefusedSignIn(context, deps, { actor, remark });
  };
  app.post(SIGN_IN, (context) => signIn(context, deps, (reason) => noteRefusal(context, reason)));
}

/** `/console/sign-out` ends this session, `/console/sign-out-everywhere` all of its operator. */
export function serveSignOut(app: Hono<ConsoleEnv>, deps: ConsoleParts): void {
  app.post(SIGN_OUT, async (context) => {
    const { id, actor } = context.get("session");
    const action = { author: authorOf(context, actor), action: "signOut", subject: SUBJECT };
    await deps.trail.together(
      action,
      (entry) => deps.sessions.end(id, { entry: entry(sessionState) }),
    );
    await endPlayground(context, deps);
    return leave(context, "out");
  });
  app.post(SIGN_OUT_EVERYWHERE, async (context) => {
    const { actor } = context.get("session");
    const author = authorOf(context, actor);
    await deps.trail.together(
      { author, action: "signOutEverywhere", subject: SUBJECT },
      (entry) => deps.sessions.endAllOf(actor.id, { entry: entry(sessionState) }),
    );
    await endPlayground(context, deps);
    return leave(context, "everywhere");
  });
}

/** Notes a sign-in that was refused in the audit log. */
export async function noteRefusedSignIn(
  context: ConsoleContext,
  { trail }: Pick<ConsoleParts, "trail">,
  { actor, remark }: {
    readonly actor: Pick<TrailAuthor, "kind" | "id" | "name">;
    readonly remark: string;
  },
): Promise<void> {
  const author = authorOf(context, actor);
  await trail.note({ author, action: "signInRefused", subject: SUBJECT, remark });
}

function authorOf(
  { env: { remoteAddress, requestId } }: ConsoleContext,
  { kind, id, name }: Pick<TrailAuthor, "kind" | "id" | "name">,
): TrailAuthor {
  return { kind, id, name, address: remoteAddress || null, requestId };
}

/** Reason of a refused sign-in, for the audit log. */
export const TOO_MANY_SESSIONS = "There are too many sessions; end some of them";

/**
 * Begins a session in place of the one that the browser has, and gives it to the browser. False, with
 * nothing begun, where there are too many sessions of others.
 */
export async function beginSession(
  context: ConsoleContext,
  deps: ConsoleParts,
  { way, actor }: { readonly way: SignIn; readonly actor: Actor },
): Promise<boolean> {
  const { sessions } = deps;
  const former = await sessionOf(context, deps);
  if (former !== undefined) await sessions.end(former.id);
  const address = context.env.remoteAddress;
  const session = await deps.trail.together(
    { author: authorOf(context, actor), action: "signIn", subject: SUBJECT },
    (entry) => sessions.begin(way, { actor, address, entry: entry(sessionState) }),
  );
  if (session === undefined) return false;
  const { id } = session;
  const isSecure = cameByHttps(context.req.raw.headers);
  const cookie = setCookie(cookieName(context), id, { isSecure });
  context.header("set-cookie", cookie, { append: true });
  return true;
}

/** Revokes the keys that the playground has made; where that fails, they are over within minutes. */
async function endPlayground(context: ConsoleContext, deps: ConsoleParts): Promise<void> {
  const answer = await viewOf(context, deps).api.ask("/playground", { method: "DELETE" });
  await answer.body?.cancel();
}

/** Lets pass who has signed in; a page sends others to the sign-in, which leads back to it. */
export function requireSession(deps: ConsoleParts): MiddlewareHandler<ConsoleEnv> {
  return async function findSession(context, next): Promise<Response | void> {
    const session = await sessionOf(context, deps);
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
  const language = context.get("language");
  return await againResponse(address, { language, title: sharedMessages[language].product });
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

async function sessionOf(
  context: ConsoleContext,
  { sessions }: ConsoleParts,
): Promise<Session | undefined> {
  for (const id of cookiesOf(context.req.header("cookie"), cookieName(context))) {
    const session = await sessions.find(id);
    if (session !== undefined) return session;
  }
  return undefined;
}

async function signIn(
  context: ConsoleContext,
  deps: ConsoleParts,
  noteRefusal: (reason: string) => Promise<void>,
): Promise<Response> {
  const { admit, tokenMark } = deps;
  const form = await readForm(context.req.raw);
  const secret = form.get("token")?.trim() ?? "";
  const messages = signInMessages[context.get("language")];
  if (secret === "") return signInPage(context, deps, { status: 422, problem: messages.missing });
  const { remoteAddress } = context.env;
  let admitted: Admitted | undefined;
  try {
    admitted = await admit({ secret, remoteAddress });
    if (admitted === undefined) {
      await noteRefusal("The token is not valid");
      return signInPage(context, deps, { status: 401, problem: messages.wrong });
    }
  } catch (error) {
    if (!(error instanceof ServiceFault) || error.code !== "rate_limit_exceeded") throw error;
    await noteRefusal("Too many wrong tokens came from this address");
    const seconds = Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000));
    context.header("retry-after", String(seconds));
    return signInPage(context, deps, { status: 429, problem: messages.wait(seconds) });
  }
  const { actor, tokenId } = admitted;
  const mark = tokenId === undefined ? await tokenMark(secret) : "";
  if (mark === undefined) {
    await noteRefusal("The token is not valid any more");
    return signInPage(context, deps, { status: 401, problem: messages.wrong });
  }
  const way = tokenId === undefined
    ? { kind: "emergency", mark } as const
    : { kind: "operator", operatorId: actor.id, tokenId } as const;
  if (await beginSession(context, deps, { way, actor })) {
    return context.redirect(nextOf(context), 303);
  }
  await noteRefusal(TOO_MANY_SESSIONS);
  return signInPage(context, deps, { status: 503, problem: messages.full });
}

function leave(context: ConsoleContext, how: "out" | "everywhere"): Response {
  const isSecure = cameByHttps(context.req.raw.headers);
  context.header("set-cookie", setCookie(cookieName(context), "", { maxAgeSeconds: 0, isSecure }));
  return context.redirect(`${SIGN_IN}?signed=${how}`, 303);
}

async function signInPage(
  context: ConsoleContext,
  deps: ConsoleParts,
  { status, problem }: { status: number; problem?: string },
): Promise<Response> {
  const view = viewOf(context, deps);
  return await htmlResponse({
    view,
    title: view.say(signInMessages).title,
    flash: problem === undefined ? flashOf(view) : undefined,
    children: <SignInPanel view={view} problem={problem} signOn={signOnOf(context, deps)} />,
  }, { status, headers: context.res.headers });
}

/** Returns the address of the sign-in at the identity provider, where there is one. */
function signOnOf(context: ConsoleContext, { signOn }: ConsoleParts): string | undefined {
  const query = new URLSearchParams({ next: nextOf(context) });
  return signOn && `/console/sso/start?${query}`;
}

/** Returns the reason for the sign-in. */
function flashOf({ query, say }: View): Flash | undefined {
  const { signedOut, signedOutEverywhere, ended, refused } = say(signInMessages);
  if (query.get("sso") === "refused") return { kind: "problem", text: refused };
  if (query.get("ended") === "yes") return { kind: "info", text: ended };
  const signed = query.get("signed");
  if (signed === "out") return { kind: "done", text: signedOut };
  return signed === "everywhere" ? { kind: "done", text: signedOutEverywhere } : undefined;
}
