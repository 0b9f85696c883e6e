import type { AdminApp, AdminDeps } from "../admin/deps.ts";
import type { AdmitToken } from "../admin/authorize.ts";
import type { Answering } from "./env.ts";

/** Where the console lives on the admin listener. */
export const CONSOLE_PATH = "/console";

/** What the console is made of. */
export interface ConsoleDeps extends Pick<AdminDeps, "clock" | "logger"> {
  /** The operator's API without its bearer check: who asks is known by then. */
  readonly api: AdminApp;
  /** Looks an admin token up, as the API does, and slows down who guesses. */
  readonly admit: AdmitToken;
  /** Grows whenever a token that was let in is let in no more. */
  readonly tokenEpoch: () => number;
}

/**
 * Serves the console below `/console`, and sends a browser there that asks for `/`. Its code is loaded
 * with the first request for it: a gateway that nobody looks at starts as fast, and stays as small, as
 * one without a console.
 */
export function mountConsole(app: AdminApp, deps: ConsoleDeps): void {
  let loading: Promise<Answering> | undefined;
  const load = () => {
    loading ??= import("./mod.ts").then(({ createConsole }) => createConsole(deps));
    // A load that failed is tried again with the next request.
    loading.catch(() => loading = undefined);
    return loading;
  };
  app.get("/", async (context, next) => {
    const wantsPage = context.req.header("accept")?.includes("text/html") === true;
    return wantsPage ? context.redirect(CONSOLE_PATH, 303) : await next();
  });
  for (const path of [CONSOLE_PATH, `${CONSOLE_PATH}/*`]) {
    app.all(path, async (context) => {
      const application = await load();
      return await application.fetch(context.req.raw, {
        remoteAddress: context.env?.remoteAddress,
        requestId: context.get("requestId"),
      });
    });
  }
}
