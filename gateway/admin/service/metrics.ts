import { authorize } from "../authorize.ts";
import type { AdminApp, AdmitToken, MetricsPage } from "../deps.ts";
import { resource } from "../resource.ts";

/** Format of the text, as Prometheus asks for it. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** `/metrics`: what Prometheus reads, with a token that opens nothing else, or the operator's. */
export function serveMetrics(
  app: AdminApp,
  { admit, metrics }: {
    /** Absent: the page is for whoever reaches it. */
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
