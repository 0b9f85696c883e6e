/**
 * Looks at all that a service needs, and says what to do about what it lacks. Changes nothing.
 *
 * @module
 */

import { askedCatalog } from "./check_catalog.ts";
import { configurationFindings } from "./check_configuration.ts";
import { permissionFindings } from "./check_permissions.ts";
import { findService, portFindings, serviceFindings } from "./check_service.ts";
import { storeFindings } from "./check_store.ts";
import { clockFinding, upstreamFindings } from "./check_upstreams.ts";
import { failure, type Finding } from "./finding.ts";
import { reasonOf } from "../system/reason.ts";
import type { DoctorContext } from "./context.ts";

/** How many looks there are, for whoever shows how far it has come. */
export const LOOKS = 6;

/** What each look came to, as it comes. */
export async function* examine(context: DoctorContext): AsyncGenerator<readonly Finding[], void> {
  const service = await findService(context);
  yield [...serviceFindings(service, context), ...portFindings(service, context)];
  yield await safely("permissions", () => permissionFindings(context));
  const { findings, content, file } = await configurationFindings(context);
  yield [
    ...findings,
    ...await safely("catalog", () => askedCatalog(context, service, file)),
  ];
  yield await safely("store", () => storeFindings(context, { service, file }));
  yield await safely("upstreams", () => upstreamFindings(context, service, content));
  yield await safely("clock", async () => [await clockFinding(content, context)]);
}

/** What one look fails by is a finding, too: the others go on. */
async function safely(
  check: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [failure(check, `It could not be looked at: ${reasonOf(error)}`, "report this")];
  }
}
