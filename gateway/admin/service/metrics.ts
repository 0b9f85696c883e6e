import { authorize } from "../authorize.ts";
import type { AdminApp, AdmitToken, MetricsPage } from "../deps.ts";
import { resource } from "../resource.ts";

/** Media type of the Prometheus text format. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Serves `/metrics`, for the token of that page or an admin token. */
export function serveMetrics(
  app: AdminApp,
  { admit, metrics }: {
    /** Absent where the page needs no token. */
    readonly admit: AdmitToken | undefined;
    readonly metrics: MetricsPage | undefined;
  },
): void {
  if (metrics === undefined) return;
  const opens = (secret: string) => metrics.admits(secret);
  if (admit !== undefined) app.use("/metrics", authorize((shown) => admit(shown, opens)));
  resource(app, "/metrics", {
    GET: async () =>
      new Response(await metrics.page(), { headers: { "content-type": CONTENT_TYPE } }),
  });
}
