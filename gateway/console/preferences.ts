import { acceptsLanguages } from "@std/http/negotiation";
import { type Language, LANGUAGES } from "./messages/catalogue.ts";
import type { Context, MiddlewareHandler } from "@hono/hono";
import { cameByHttps, cookieOf, setCookie } from "./cookies.ts";
import type { ReaderEnv } from "./env.ts";
import { THEMES } from "./theme.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Finds a reader's language and colours. `?lang=` and `?theme=` on any address change them: the choice
 * is kept in a cookie for a path (of the console, where it is left out), and the browser is sent on to
 * the address without it.
 */
export function preferences(path?: string): MiddlewareHandler<ReaderEnv> {
  return async function readPreferences(context, next): Promise<Response | void> {
    const { req } = context;
    const cookie = req.header("cookie");
    const language = oneOf(LANGUAGES, req.query("lang"));
    const theme = oneOf(THEMES, req.query("theme"));
    if (req.method === "GET" && (language !== undefined || theme !== undefined)) {
      return keep(context, { path, chosen: { lang: language, theme } });
    }
    context.set(
      "language",
      oneOf(LANGUAGES, cookieOf(cookie, "svc_lang")) ?? acceptedLanguage(req.raw),
    );
    context.set("theme", oneOf(THEMES, cookieOf(cookie, "svc_theme")) ?? "auto");
    await next();
  };
}

function keep(
  context: Context<ReaderEnv>,
  { path, chosen }: {
    readonly path: string | undefined;
    readonly chosen: Readonly<Record<"lang" | "theme", string | undefined>>;
  },
): Response {
  const url = new URL(context.req.url);
  const isSecure = cameByHttps(context.req.raw.headers);
  for (const [name, value] of Object.entries(chosen)) {
    url.searchParams.delete(name);
    if (value === undefined) continue;
    const cookie = setCookie(`svc_${name}`, value, {
      ...{ maxAgeSeconds: YEAR_SECONDS, isSecure },
      ...path === undefined ? {} : { path },
    });
    context.header("set-cookie", cookie, { append: true });
  }
  return context.redirect(url.pathname + url.search, 303);
}

/** The most wanted language of the request that the console has; English when it has none. */
function acceptedLanguage(request: Request): Language {
  for (const range of acceptsLanguages(request)) {
    const language = oneOf(LANGUAGES, range.split("-")[0]?.toLowerCase());
    if (language !== undefined) return language;
  }
  return "en";
}

function oneOf<T extends string>(known: readonly T[], text: string | undefined): T | undefined {
  return known.find((each) => each === text);
}
