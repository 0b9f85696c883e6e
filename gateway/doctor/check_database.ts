import { type DatabaseState, inspectDatabase } from "../stores/postgres/inspect.ts";
import { reasonOf } from "../system/reason.ts";
import { shownPlace } from "../system/store_place.ts";
import { failure, type Finding, ok, skipped, warning } from "./finding.ts";

/**
 * Checks a PostgreSQL database: that it answers, its tables, that its commits are durable, and which
 * instances use it.
 */
export async function databaseFindings(url: string): Promise<Finding[]> {
  const place = shownPlace({ kind: "postgres", url });
  try {
    const state = await inspectDatabase(url);
    const { server, version, newest, isDurable, isReadOnly } = state;
    const about = `PostgreSQL ${server} at ${place}`;
    if (isReadOnly) {
      const advice = "name the primary in SERVICE_STORE, or add target_session_attrs=read-write";
      return [failure("store", `${about} takes no changes: it is a standby`, advice)];
    }
    if (version > newest) {
      const message = `${about}: tables of version ${version}; this svc knows ${newest}`;
      return [failure("store", message, "start that version of svc, or a newer one")];
    }
    return [
      version === 0
        ? skipped("store", `${about} has no tables yet: the first start makes them`)
        : ok("store", `${about}: tables of version ${version}${nextText(version, newest)}`),
      isDurable
        ? ok("durability", "A commit is on the server's disk before it is answered")
        : failure(
          "durability",
          "The server answers commits that a crash can lose: fsync or synchronous_commit is off",
          "set both to on for this database",
        ),
      ...version === 0 ? [] : [instancesFinding(state)],
      warning("backup", "Backups of a database are not known here", "run pg_dump from a timer"),
    ];
  } catch (error) {
    return [failure("store", `${place}: ${reasonOf(error)}`, "check SERVICE_STORE and the server")];
  }
}

function instancesFinding({ living, silent }: DatabaseState): Finding {
  const serving = living === 0
    ? "No instance serves from it"
    : `${living} ${living === 1 ? "instance serves" : "instances serve"} from it`;
  if (silent === 0) return ok("instances", serving);
  return warning(
    "instances",
    `${serving}; ${silent} more had ended without a word`,
    "see why; what they left is ended within 10 seconds by an instance that lives, or the next start",
  );
}

function nextText(version: number, newest: number): string {
  return version < newest ? `; the next start brings them to version ${newest}` : "";
}
