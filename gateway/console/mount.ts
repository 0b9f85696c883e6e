import { accepts } from "@std/http/negotiation";
import type { AdminApp, ConsoleParts } from "../admin/deps.ts";
import type { Answering } from "./env.ts";

/** Path of the console on the admin listener. */
export const CONSOLE_PATH = "/console";

/**
 * Serves the console below `/console`, and redirects a browser there that requests `/`. Its code is
 * loaded with the first request for it: a gateway whose console is not used starts as fast, and stays
 * as small, as one without a console.
 */
export function mountConsole(app: AdminApp, parts: ConsoleParts): void {
  let loading: Promise<Answering> | undefined;
  const load = () => {
    loading ??= import("./mod.ts").then(({ createConsole }) => createConsole(parts));
    // A load that failed is tried again with the next request.
    loading.catch(() => loading = undefined);
    return loading;
  };
  app.get("/", async (context, next) => {
    const type = accepts(context.req.raw, "application/json", "text/html");
    return type === "text/html" ? context.redirect(CONSOLE_PATH, 303) : await next();
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
