import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { readQuery } from "../request_query.ts";
import { resource } from "../resource.ts";
import { usageQuery } from "../../admin_api/schemas/requests.ts";
import { UsageSums } from "./usage_sums.ts";

/** `/usage`: tokens and credits, summed from the journal. */
export function serveUsage(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/usage", { GET: (context) => showUsage(context, deps) });
}

async function showUsage(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { by, since, until } = readQuery(context, deps, usageQuery);
  const sums = new UsageSums(by);
  for await (const entry of deps.ledger.entries(since === undefined ? {} : { sinceMs: since })) {
    if (entry.op === "settle" && entry.at >= (since ?? 0) && entry.at <= (until ?? Infinity)) {
      sums.add(entry);
    }
  }
  const names = by === "key" ? await keyNames(deps) : new Map<string, string>();
  const usage = sums.rows().map(({ group, ...sum }) => {
    const name = names.get(group);
    return { [by]: group, ...name === undefined ? {} : { name }, ...sum };
  });
  return context.json({ by, usage });
}

async function keyNames(deps: AdminDeps): Promise<Map<string, string>> {
  return new Map((await deps.keys.list()).map((key) => [key.id, key.name]));
}
