import type { Hono } from "@hono/hono";
import { SignInError } from "../ports/identity_provider.ts";
import type { ConsoleParts } from "../admin/deps.ts";
import { cameByHttps, cookiesOf, setCookie } from "./cookies.ts";
import type { ConsoleContext, ConsoleEnv } from "./env.ts";
import {
  beginSession,
  localPath,
  noteRefusedSignIn,
  SIGN_IN,
  TOO_MANY_SESSIONS,
} from "./sign_in.tsx";

const START = "/console/sso/start";
const CALLBACK = "/console/sso/callback";
const REFUSED = `${SIGN_IN}?sso=refused`;

/** Serves the sign-in at the identity provider: the way there, and the way back. */
export function serveSignOn(app: Hono<ConsoleEnv>, deps: ConsoleParts): void {
  const { signOn } = deps;
  if (signOn === undefined) return;
  app.get(START, async (context) => {
    try {
      const { ticket, address } = await signOn.begin(originOf(context, deps) + CALLBACK);
      const next = localPath(new URL(context.req.url).searchParams.get("next"));
      setTicket(context, `${ticket}.${encodeURIComponent(next)}`);
      return context.redirect(address, 303);
    } catch (error) {
      return await refuse(context, deps, error);
    }
  });
  app.get(CALLBACK, async (context) => {
    const [cookie = ""] = cookiesOf(context.req.header("cookie"), ticketName(context));
    const [ticket = "", next = ""] = cookie.split(".");
    setTicket(context, "");
    try {
      const { actor, grant } = await signOn.finish(ticket, new URL(context.req.url));
      if (await beginSession(context, deps, { way: { kind: "sso", grant }, actor })) {
        return context.redirect(localPath(decoded(next)), 303);
      }
      const remark = TOO_MANY_SESSIONS;
      await noteRefusedSignIn(context, deps, { actor, remark });
      return context.redirect(REFUSED, 303);
    } catch (error) {
      return await refuse(context, deps, error);
    }
  });
}

async function refuse(
  context: ConsoleContext,
  deps: ConsoleParts,
  error: unknown,
): Promise<Response> {
  if (!(error instanceof SignInError)) throw error;
  deps.logger.warn("sign_in_refused", { reason: error.message });
  // Without a person, anybody could fill the audit log.
  if (error.person !== undefined) {
    const { subject, name } = error.person;
    const actor = { kind: "nobody", id: `sso:${subject}`, name } as const;
    await noteRefusedSignIn(context, deps, { actor, remark: error.message });
  }
  return context.redirect(REFUSED, 303);
}

/** Returns the origin that the provider knows: the first address that the operator has configured. */
function originOf(context: ConsoleContext, { consoleUrl }: ConsoleParts): string {
  if (consoleUrl !== undefined) return consoleUrl;
  const url = new URL(context.req.url);
  return cameByHttps(context.req.raw.headers) ? `https://${url.host}` : url.origin;
}

function ticketName(context: ConsoleContext): string {
  const { port } = new URL(context.req.url);
  return port === "" ? "svc_sso" : `svc_sso_${port}`;
}

/** Keeps or removes the ticket. The browser sends it with the way back, which another site begins. */
function setTicket(context: ConsoleContext, ticket: string): void {
  const isSecure = cameByHttps(context.req.raw.headers);
  const maxAgeSeconds = ticket === "" ? 0 : 600;
  const options = { isSecure, maxAgeSeconds, sameSite: "Lax", path: "/console/sso" } as const;
  const cookie = setCookie(ticketName(context), ticket, options);
  context.header("set-cookie", cookie, { append: true });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return "";
    throw error;
  }
}
