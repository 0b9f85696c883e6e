import type { CatalogContent } from "../domain/catalog/catalog.ts";
import { diffCatalog } from "../domain/catalog/diff.ts";
import { readNewestCatalog } from "../stores/kv/catalogs.ts";
import { type Finding, ok, warning } from "./finding.ts";
import type { DoctorContext, ServiceState } from "./context.ts";

/**
 * Compares a running service's catalog with the configuration file, by a rehearsal in the service.
 */
export async function serviceCatalogFindings(
  context: DoctorContext,
  service: ServiceState,
  file: CatalogContent | undefined,
): Promise<Finding[]> {
  if (file === undefined || service.kind !== "running") return [];
  const { changes, version } = await context.rehearse(file);
  const paths = changes.map(({ path }) => path);
  return [catalogFinding(context, { paths, version })];
}

/** Compares the catalog of a store without a service; no finding when it has no catalog yet. */
export async function storedCatalogFindings(
  context: DoctorContext,
  kv: Deno.Kv,
  file: CatalogContent | undefined,
): Promise<Finding[]> {
  const newest = file && await readNewestCatalog(kv);
  if (file === undefined || newest === undefined) return [];
  const paths = diffCatalog(newest, file).map(({ path }) => path);
  return [catalogFinding(context, { paths, version: newest.version })];
}

function catalogFinding(
  { settings: { configPath } }: DoctorContext,
  { paths, version }: { readonly paths: readonly string[]; readonly version: number },
): Finding {
  const [first] = paths;
  const name = `The store's catalog, version ${version},`;
  if (first === undefined) return ok("catalog", `${name} equals "${configPath}"`);
  const places = paths.length === 1 ? "1 place" : `${paths.length} places`;
  return warning(
    "catalog",
    `${name} differs from "${configPath}" in ${places}, the first is ${first}; the store is in force`,
    `\`svc apply -f ${configPath} --dry-run\` shows what the file would change: apply it, or correct it`,
  );
}
