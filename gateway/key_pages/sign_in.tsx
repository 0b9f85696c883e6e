import type { Hono, MiddlewareHandler } from "@hono/hono";
import { ChangeForm, Field } from "../console/components/form.tsx";
import { productOf } from "../console/components/layout.tsx";
import { cameByHttps, cookiesOf, setCookie } from "../console/cookies.ts";
import { againResponse, htmlResponse } from "../console/html.tsx";
import { sharedMessages } from "../console/messages/shared.ts";
import type { InReading, Reading } from "../console/page.ts";
import { readForm } from "../console/read_form.ts";
import { wantsPage } from "../console/wants_page.ts";
import { ServiceFault } from "../domain/fault.ts";
import type { HolderSession, IssuedPass } from "../flows/keys/holder_access.ts";
import type { Flash } from "../ports/console_session_store.ts";
import { BadKeys } from "../http/bad_keys.ts";
import { ownMessages } from "./messages.ts";
import type { KeyPageParts } from "./parts.ts";
import { BASE, type KeyPageContext, type KeyPageEnv, readingOf } from "./view.ts";

/** Path of the page for those who have not signed in. */
const SIGN_IN = `${BASE}/sign-in`;
const SIGN_OUT = `${BASE}/sign-out`;

/**
 * `/me/sign-in` asks for a click before it uses a link up: programs that look at the links in a
 * message send a `GET`, which changes nothing and never has the code.
 */
export function serveSignIn(app: Hono<KeyPageEnv>, parts: KeyPageParts): void {
  const badLinks = new BadKeys({
    ...{ keyClass: "link", limit: parts.badLinksPerMinute },
    ...{ clock: parts.clock, logger: parts.logger },
  });
  app.get(SIGN_IN, (context) => signInPage(context, parts, { status: 200 }));
  app.post(SIGN_IN, (context) => signIn(context, parts, badLinks));
  app.post(SIGN_OUT, async (context) => {
    for (const secret of secretsOf(context)) await parts.access.leave(secret);
    return leave(context, "signed=out");
  });
}

/** Lets pass who has signed in; a page sends others to the sign-in. */
export function requireSession(parts: KeyPageParts): MiddlewareHandler<KeyPageEnv> {
  return async function findSession(context, next): Promise<Response | void> {
    const session = await sessionOf(context, parts);
    if (session !== undefined) {
      context.set("session", session);
      return await next();
    }
    const { req } = context;
    if (!wantsPage(req.raw.headers)) {
      return context.json({ error: { message: "Sign in by a link" } }, 401);
    }
    const { pathname, search } = new URL(req.url);
    if (req.header("sec-fetch-site") === "cross-site" && req.method === "GET") {
      // By `SameSite=Strict` a browser that follows a link from elsewhere sends no cookie.
      const language = context.get("language");
      const title = sharedMessages[language].ownProduct;
      return await againResponse(pathname + search, { language, title });
    }
    return secretsOf(context).length > 0
      ? leave(context, "ended=yes")
      : context.redirect(SIGN_IN, 303);
  };
}

async function signIn(
  context: KeyPageContext,
  parts: KeyPageParts,
  badLinks: BadKeys,
): Promise<Response> {
  const form = await readForm(context.req.raw);
  // Somebody may paste the whole address.
  const secret = form.get("code")?.trim().replace(/^.*#/s, "") ?? "";
  const say = ownMessages[context.get("language")];
  if (secret === "") return signInPage(context, parts, { status: 422, problem: say.missing });
  const { remoteAddress } = context.env;
  let session: IssuedPass | undefined;
  try {
    session = await badLinks.find(
      { secret, remoteAddress },
      (link) => parts.access.enter(link),
    );
  } catch (error) {
    if (!(error instanceof ServiceFault) || error.code !== "rate_limit_exceeded") throw error;
    const seconds = Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000));
    context.header("retry-after", String(seconds));
    return signInPage(context, parts, { status: 429, problem: say.wait(seconds) });
  }
  if (session === undefined) {
    return signInPage(context, parts, { status: 401, problem: say.wrong });
  }
  // A session in place of the one that the browser has.
  for (const former of secretsOf(context)) await parts.access.leave(former);
  const maxAgeSeconds = Math.floor((session.endsAtMs - parts.clock.nowMs()) / 1_000);
  giveCookie(context, session.secret, maxAgeSeconds);
  return context.redirect(`${BASE}/key`, 303);
}

/** Returns the session of a request; `undefined` without one. */
export async function sessionOf(
  context: KeyPageContext,
  { access }: Pick<KeyPageParts, "access">,
): Promise<HolderSession | undefined> {
  for (const secret of secretsOf(context)) {
    const session = await access.find(secret);
    if (session !== undefined) return session;
  }
  return undefined;
}

function secretsOf(context: KeyPageContext): readonly string[] {
  // Each costs a read of the store, and a browser sends few under one name.
  return cookiesOf(context.req.header("cookie"), cookieName(context)).slice(0, 4);
}

/** Browsers do not tell two ports of a host apart: each service has a cookie of its own name there. */
function cookieName(context: KeyPageContext): string {
  const { port } = new URL(context.req.url);
  return port === "" ? "svc_holder" : `svc_holder_${port}`;
}

function leave(context: KeyPageContext, why: string): Response {
  giveCookie(context, "", 0);
  return context.redirect(`${SIGN_IN}?${why}`, 303);
}

function giveCookie(context: KeyPageContext, value: string, maxAgeSeconds: number): void {
  const isSecure = cameByHttps(context.req.raw.headers);
  const cookie = setCookie(cookieName(context), value, { isSecure, maxAgeSeconds, path: BASE });
  context.header("set-cookie", cookie, { append: true });
}

async function signInPage(
  context: KeyPageContext,
  { clock }: KeyPageParts,
  { status, problem }: { readonly status: number; readonly problem?: string },
): Promise<Response> {
  const view = readingOf(context, clock.nowMs());
  return await htmlResponse({
    view,
    title: view.say(ownMessages).signIn,
    flash: problem === undefined ? flashOf(view) : undefined,
    scripts: ["link.js"],
    children: <SignInPanel view={view} problem={problem} />,
  }, { status, headers: context.res.headers });
}

/** The form that takes the code of a link. What was entered is never sent back. */
function SignInPanel({ view, problem }: InReading<{ problem: string | undefined }>) {
  const say = view.say(ownMessages);
  return (
    <section class="panel sign-in">
      <p class="brand">
        <span class="brand-mark" aria-hidden="true"></span>
        {productOf(view)}
      </p>
      <h1>{say.signIn}</h1>
      <p class="intro">{say.signInIntro}</p>
      <ChangeForm action={SIGN_IN}>
        <Field
          name="code"
          type="password"
          label={say.code}
          hint={say.codeHint}
          error={problem}
          autocomplete="off"
          maxLength={512}
          isRequired
        />
        <button type="submit" class="button primary wide">{say.submit}</button>
      </ChangeForm>
    </section>
  );
}

function flashOf({ query, say }: Reading): Flash | undefined {
  const { signedOut, ended } = say(ownMessages);
  if (query.get("ended") === "yes") return { kind: "info", text: ended };
  return query.get("signed") === "out" ? { kind: "done", text: signedOut } : undefined;
}
