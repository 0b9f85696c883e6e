/**
 * Statements of the sessions of instances.
 *
 * @module
 */

/** Begins a session. Parameter: its id. */
export const JOIN = "insert into instance (id) values ($1) returning number";

/**
 * Shows that a session lives, and reads the others that matter. The time is the database's. No row
 * of another instance: one row without a session. Parameter: the session's id.
 */
export const BEAT = `
with beat as (
  update instance set beats = beats + 1, seen_at = clock_timestamp()
  where id = $1 and ended_at is null returning id
)
select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
  exists (select from beat) as lives, other.id, other.beats, other.ended_at is not null as ended
from (values (1)) as one left join (
  select id, beats, ended_at from instance where not is_cleared and id <> $1
) as other on true
`;

/** Reads those of some sessions that have ended and left something. Parameter: their ids. */
export const ENDED_OF =
  "select id from instance where id = any($1) and ended_at is not null and not is_cleared";

/** Reads open holds of an ended session. Parameters: its id, and their number. */
export const HOLDS_OF = "select data from hold where instance = $1 order by number limit $2";

/** Reads log rows owed by an ended session. Parameters: its id, and their number. */
export const ROWS_OWED_BY = "select line from owed_row where instance = $1 limit $2";

/** Notes that nothing of an ended session is left. Parameter: its id. */
export const CLEARED = "update instance set is_cleared = true where id = $1";

/** Deletes sessions that ended long ago. */
export const SWEEP =
  "delete from instance where is_cleared and ended_at < clock_timestamp() - interval '1 day'";
