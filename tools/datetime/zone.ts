import { nearest } from "../nearest.ts";
import { ToolError } from "../tool.ts";
import type { TemporalApi } from "./temporal.ts";

const LONGEST_ZONE = 64;

/**
 * Returns the host's name of a time zone.
 *
 * @throws {ToolError} There is no such zone; the message names the nearest.
 */
export function checkZone(zone: string, temporal: TemporalApi): string {
  const name = zone.trim();
  const id = known(name, temporal);
  if (id !== undefined) return id;
  const shown = name.slice(0, LONGEST_ZONE);
  throw new ToolError(`There is no time zone "${shown}"${hint(shown, temporal)}`, {
    code: "unknown_zone",
  });
}

function known(name: string, temporal: TemporalApi): string | undefined {
  try {
    return temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return undefined;
  }
}

const REGIONS = "Africa America Asia Atlantic Australia Europe Indian Pacific".split(" ");

/**
 * Returns a hint for an unknown zone. Abbreviations are not resolved: CST may be Chicago, Shanghai
 * or Havana.
 */
function hint(text: string, temporal: TemporalApi): string {
  const place = text.replaceAll(/[ -]+/g, "_");
  const inRegion = REGIONS.map((region) => known(`${region}/${place}`, temporal));
  const alike = inRegion.find((zone) => zone !== undefined) ??
    (place.length > 4 ? nearestZone(place) : undefined);
  return alike === undefined
    ? ': expected an IANA name such as "Europe/Berlin", "UTC", or an offset such as "+02:00"'
    : `; did you mean "${alike}"?`;
}

function nearestZone(place: string): string | undefined {
  const zones = Intl.supportedValuesOf("timeZone");
  const cities = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]));
  return nearest(place, zones) ?? cities.get(nearest(place, cities.keys()) ?? "");
}
