/**
 * Every limit of the Deno KV stores. Deno KV itself takes values of 64 KiB and commits of 800 KiB,
 * 80 KiB of keys and 1000 mutations.
 *
 * @module
 */

/** Version of the first layout of rows; `migrate.ts` has the later ones. */
export const SCHEMA_VERSION = 1;

/** Longest value written, in bytes. */
export const MAX_VALUE_BYTES = 60 * 1024;
/** Longest segment of a journal or log, in bytes of lines. */
export const MAX_SEGMENT_BYTES = 48 * 1024;
/** A commit takes no more turns beyond this, in bytes. */
export const FULL_COMMIT_BYTES = 256 * 1024;
/** A commit takes no more turns beyond this, in rows and lines. */
export const FULL_COMMIT_CHANGES = 400;
/** A turn larger than this is split, in bytes. */
export const MAX_COMMIT_BYTES = 512 * 1024;
/** A turn larger than this is split, in rows and lines. */
export const MAX_COMMIT_CHANGES = 800;
/** Most operations that wait for a commit. */
export const MAX_QUEUED_OPERATIONS = 100_000;

/** Looks for whether a commit that threw has landed, before its callers are told. */
export const DOUBT_TRIES = 10;
/** Time between two of these looks, in milliseconds. */
export const DOUBT_RETRY_MS = 100;

/** Longest id, name or tier in a ledger command, in UTF-16 code units. */
export const MAX_ID_CHARS = 256;
/** Longest note or reason in a ledger command, in UTF-16 code units. */
export const MAX_NOTE_CHARS = 2_000;
/** Most holds that wait for one wallet. */
export const MAX_WAITING_HOLDS = 1_000;
/** Maximum number of ended holds, and of credits, remembered so that a repeat gets the same answer. */
export const MAX_REMEMBERED_ENDINGS = 10_000;
/** Journal segments between two checkpoints of the open holds. */
export const CHECKPOINT_SEGMENTS = 256;

/** Holds of a former run that are ended together: a few commits, whatever the number of all. */
export const RECOVERED_AT_ONCE = 1_000;

/** Maximum number of API keys in memory. */
export const MAX_CACHED_KEYS = 20_000;
/** Longest catalog, in bytes of JSON. */
export const MAX_CATALOG_BYTES = 8 * 1024 * 1024;

/** Requests kept in the log. */
export const LOG_RECORDS = 1_000_000;
/** Age at which requests leave the log, in milliseconds: 30 days. */
export const LOG_AGE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Log segments between two looks for old ones. */
export const LOG_TRIM_SEGMENTS = 64;
/** Log segments deleted in one commit. */
export const LOG_TRIM_BATCH = 100;

/** Bytes of all files that links lead to: 256 MiB. */
export const MAX_BLOBS_BYTES = 256 * 1024 * 1024;
/** Bytes of all stored responses: 1 GiB. */
export const MAX_RESPONSES_BYTES = 1024 * 1024 * 1024;
/** Age at which stored responses leave, in milliseconds: 30 days. */
export const RESPONSE_AGE_MS = 30 * 24 * 60 * 60 * 1_000;
/**
 * Bytes of a file or response that are written in one commit. They fit on top of a commit that is all
 * but bursting and of two segments.
 */
export const VALUE_COMMIT_BYTES = 128 * 1024;
/** Rows of a file or response that are written or deleted in one commit. */
export const VALUE_COMMIT_ROWS = 64;
/** Expired files or responses deleted at once; a sweep goes on with the next ones. */
export const VALUES_SWEPT = 16;
/** Time between two looks for expired files and responses, in milliseconds. */
export const VALUE_SWEEP_MS = 60_000;

/** Most vector stores. */
export const MAX_VECTOR_STORES = 1_000;
/** UTF-8 bytes of the passages of all vector stores: 1 GiB. */
export const MAX_PASSAGES_BYTES = 1024 * 1024 * 1024;
/** Segments of a file's passages written in one commit. */
export const SEGMENTS_WRITTEN = 2;
/** Segments of a file's passages deleted in one commit. */
export const SEGMENTS_DELETED = 64;

/** Rows of the log that one block of its index tells of. */
export const BLOCK_ROWS_MAX = 896;
/** Longest block, in bytes. */
export const BLOCK_BYTES_MAX = 54 * 1024;
/** Longest list of a block's ids, in bytes. */
export const BLOCK_IDS_BYTES_MAX = 56 * 1024;
/** Blocks of the index read in one go: a search cannot end within. */
export const READ_AHEAD_BLOCKS = 16;
/** Blocks of the index whose times are remembered, some 100 bytes each. */
export const BLOCK_TIMES_KEPT = 5_000;
/** Time between two writes of the index, in milliseconds. */
export const INDEX_WRITE_MS = 1_000;
/** Blocks that wait for the store in memory; beyond that they are made anew from the log, later. */
export const INDEX_BLOCKS_WAITING = 48;
/** Rows without an index that a search waits for, rather than reading them line by line. */
export const INDEX_WAIT_ROWS = 20_000;
/** Time for which a search goes through the index; it then ends with a cursor, maybe short of rows. */
export const SEARCH_MS = 180;
/** Steps that a search takes in any case, so that a machine that stands still makes no page short. */
export const SEARCH_STEPS_MIN = 256;
/** Steps that a block of the index counts for; a segment that has none counts for one. */
export const BLOCK_STEPS = 16;

/** What sums over requests are kept of: so wide, and for so long, in milliseconds. */
export const SUM_LEVELS: readonly { readonly widthMs: number; readonly keptMs: number }[] = [
  { widthMs: 60_000, keptMs: 3 * 3_600_000 },
  { widthMs: 600_000, keptMs: 2 * 86_400_000 },
  { widthMs: 3_600_000, keptMs: 8 * 86_400_000 },
  { widthMs: 6 * 3_600_000, keptMs: 92 * 86_400_000 },
];
/** Longest row of sums, in bytes: of a larger one the keys with the fewest requests are added up. */
export const SUMS_BYTES_MAX = 56 * 1024;
/** Rows of sums written or deleted in one commit. */
export const SUMS_WRITTEN = 32;
/** Points of a series, unless more are asked for. */
export const SERIES_POINTS = 200;
/** Most points of a series. */
export const SERIES_POINTS_MAX = 400;

/** Bytes of the journal that are read for one request's entries, from its beginning and from its end. */
export const REQUEST_ENTRIES_BYTES = 16 * 1024 * 1024;
/** Time before a request's end from which its last entries are looked for, in milliseconds. */
export const REQUEST_END_SLACK_MS = 1_000;

/** Segments read in one go. */
export const READ_AHEAD_SEGMENTS = 16;
/**
 * Entries read in one go where the whole journal is read: small segments come more at a time. Commits
 * wait for a read that is under way.
 */
export const READ_AHEAD_ENTRIES = 512;
/** Segments read in one go where the whole journal is read and they are small. */
export const MAX_READ_AHEAD_SEGMENTS = 256;
/** Time for which reading the whole journal keeps the event loop, in milliseconds. */
export const READ_TURN_MS = 1;
/** A turn of the event loop that took longer than this had work for others, in milliseconds. */
export const IDLE_TURN_MS = 0.1;
/** Time for which others are then taken to be busy, in milliseconds: half of it is theirs alone. */
export const BUSY_MS = 50;
/** Problems of the books that are told one by one; the rest is counted. */
export const MAX_PROBLEMS = 100;
/** Longest sentence about a problem, in UTF-16 code units: a damaged row may hold anything. */
export const MAX_PROBLEM_CHARS = 1_000;
/** Segments that one page looks at; it then ends with a cursor, maybe short of entries. */
export const MAX_PAGE_SEGMENTS = 4_000;
/** Tries to take over a store whose former writer still writes. */
export const MAX_TAKEOVER_TRIES = 20;
