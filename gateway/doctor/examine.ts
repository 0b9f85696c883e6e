/**
 * Runs the checks of `svc doctor`. Each states a problem and its remedy, and changes nothing.
 *
 * @module
 */

import { serviceCatalogFindings } from "./check_catalog.ts";
import { configurationFindings } from "./check_configuration.ts";
import { permissionFindings } from "./check_permissions.ts";
import { findService, portFindings, serviceFindings } from "./check_service.ts";
import { storeFindings } from "./check_store.ts";
import { clockFinding, upstreamFindings } from "./check_upstreams.ts";
import { failure, type Finding } from "./finding.ts";
import { reasonOf } from "../system/reason.ts";
import type { DoctorContext } from "./context.ts";

/** Number of checks, for a progress display. */
export const CHECK_COUNT = 6;

/** Yields the findings of each check as they come. */
export async function* examine(context: DoctorContext): AsyncGenerator<readonly Finding[], void> {
  const service = await findService(context);
  yield [...serviceFindings(service, context), ...portFindings(service, context)];
  yield await safely("permissions", () => permissionFindings(context));
  const { findings, content, file } = await configurationFindings(context);
  yield [
    ...findings,
    ...await safely("catalog", () => serviceCatalogFindings(context, service, file)),
  ];
  yield await safely("store", () => storeFindings(context, { service, file }));
  yield await safely("upstreams", () => upstreamFindings(context, service, content));
  yield await safely("clock", async () => [await clockFinding(content, context)]);
}

/** Turns a failed check into a finding, so that the others continue. */
async function safely(
  check: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [failure(check, `It could not be checked: ${reasonOf(error)}`, "report this")];
  }
}
