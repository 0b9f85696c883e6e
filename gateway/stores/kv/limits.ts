/**
 * Every limit of the Deno KV stores. Deno KV itself allows values of 64 KiB and commits of 800 KiB,
 * 80 KiB of keys and 1000 mutations.
 *
 * @module
 */

/** Version of the first layout of rows; `migrate.ts` has the later ones. */
export const SCHEMA_VERSION = 1;

/** Maximum size of a written value, in bytes. */
export const MAX_VALUE_BYTES = 60 * 1024;
/**
 * Size of a full segment of a journal or log, in bytes of lines; a longer line has one for itself.
 * With its header it needs one page of SQLite beside that of the row: SQLite reads a row to its end
 * to compare its key, and compares a dozen rows for each look-up.
 */
export const MAX_SEGMENT_BYTES = 4_288;
/** Maximum size of a line of the log, in bytes. */
export const MAX_LINE_BYTES = 48 * 1024;
/** Size of a piece of a text that needs several rows, in bytes. */
export const PIECE_BYTES = 48 * 1024;
/**
 * Number of commits that are stored as small rows before they are folded into segments; the rows are
 * used again after each fold.
 */
export const MAX_OPEN_COMMITS = 64;
/**
 * Sizes of the rows of single commits, in bytes. A row is filled up to the next size, and replaces an
 * older one of the same size: SQLite then overwrites it in place. The first size fits into a page
 * together with others, the second needs one page more; larger rows are not filled up.
 */
export const COMMIT_ROW_SIZES: readonly number[] = [896, 4_480];
/** Size of the lines of each chain, in bytes, above which the commits since the last fold are folded. */
export const MAX_OPEN_BYTES = 48 * 1024;
/** Size of a commit, in bytes of lines, above which it is folded at once. */
export const MAX_COMMIT_ROW_BYTES = 16 * 1024;
/**
 * Number of wallets and keys changed since the last fold above which the next commit folds: their
 * rows must fit into its commit beside its own.
 */
export const MAX_OPEN_CHANGES = 96;
/**
 * Size of a commit above which it takes no operations of further turns of the event loop, in bytes.
 */
export const FULL_COMMIT_BYTES = 256 * 1024;
/** Size of a commit above which it takes no operations of further turns, in rows and lines. */
export const FULL_COMMIT_CHANGES = 400;
/** Size above which the operations of one turn are split into several commits, in bytes. */
export const MAX_COMMIT_BYTES = 512 * 1024;
/**
 * Size above which the operations of one turn are split into several commits, in rows and lines.
 */
export const MAX_COMMIT_CHANGES = 800;
/** Maximum number of operations that wait for a commit. */
export const MAX_QUEUED_OPERATIONS = 100_000;

/** Number of checks whether a commit that threw has landed, before its callers get an error. */
export const DOUBT_TRIES = 10;
/** Time between two of these checks, in milliseconds. */
export const DOUBT_RETRY_MS = 100;

/** Maximum length of an id, name or tier in a ledger command, in UTF-16 code units. */
export const MAX_ID_CHARS = 256;
/** Maximum length of a note or reason in a ledger command, in UTF-16 code units. */
export const MAX_NOTE_CHARS = 2_000;
/** Maximum number of holds that wait for one wallet. */
export const MAX_WAITING_HOLDS = 1_000;
/** Maximum number of ended holds, and of credits, remembered so that a repeat gets the same answer. */
export const MAX_REMEMBERED_ENDINGS = 10_000;
/** Number of journal segments between two lists of open holds. */
export const CHECKPOINT_SEGMENTS = 1_024;

/** Number of holds of a former run that are ended together, in a few commits. */
export const RECOVERED_AT_ONCE = 1_000;

/** Maximum number of API keys in memory. */
export const MAX_CACHED_KEYS = 10_000;
/** Maximum number of wallets, and of spends of keys, in memory besides those in use. */
export const IDLE_ROWS = 10_000;
/** Wallets, or places of keys, that a search reads for one page: 35 ms for a thousand at most. */
export const LIST_PLACES_READ = 2_000;
/** Keys that a search reads for one page, a tenth of a millisecond each. */
export const LIST_KEYS_READ = 600;
/** Keys of a page that are read at once. */
export const KEYS_READ_AT_ONCE = 100;
/** Wallets of a list that are read at once, in less than a millisecond. */
export const WALLETS_READ_AT_ONCE = 100;
/** Rows of a list that are read at once. */
export const ROWS_READ_AHEAD = 500;
/** Maximum size of a catalog, in bytes of JSON. */
export const MAX_CATALOG_BYTES = 8 * 1024 * 1024;

/** Maximum number of requests in the log. */
export const LOG_RECORDS = 1_000_000;
/** Age at which requests leave the log, in milliseconds: 30 days. */
export const LOG_AGE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Number of log segments between two deletions of old ones. */
export const LOG_TRIM_SEGMENTS = 100;
/** Number of log segments deleted in one commit. */
export const LOG_TRIM_BATCH = 100;

/** Maximum size of all files behind signed links, in bytes: 256 MiB. */
export const MAX_BLOBS_BYTES = 256 * 1024 * 1024;
/** Maximum size of all stored responses, in bytes: 1 GiB. */
export const MAX_RESPONSES_BYTES = 1024 * 1024 * 1024;
/** Maximum size of the routing snapshots beyond the two newest and the frozen one: 256 MiB. */
export const MAX_SNAPSHOTS_BYTES = 256 * 1024 * 1024;
/** Age at which stored responses are deleted, in milliseconds: 30 days. */
export const RESPONSE_AGE_MS = 30 * 24 * 60 * 60 * 1_000;
/**
 * Bytes of a file or response written in one commit. They fit on top of a commit that is almost
 * full and of the lines of all open commits.
 */
export const VALUE_COMMIT_BYTES = 128 * 1024;
/** Rows of a file or response written or deleted in one commit. */
export const VALUE_COMMIT_ROWS = 64;
/** Number of expired files or responses deleted at once; a sweep continues with the next ones. */
export const VALUES_SWEPT = 16;
/** Time between two sweeps of expired files and responses, in milliseconds. */
export const VALUE_SWEEP_MS = 60_000;

/** Maximum number of vector stores. */
export const MAX_VECTOR_STORES = 1_000;
/** Maximum size of the passages of all vector stores, in UTF-8 bytes: 1 GiB. */
export const MAX_PASSAGES_BYTES = 1024 * 1024 * 1024;
/** Maximum size of the files of all callers, in bytes: 4 GiB. */
export const MAX_CALLER_FILES_BYTES = 4 * 1024 * 1024 * 1024;
/** Segments of a file's passages written in one commit. */
export const SEGMENTS_WRITTEN = 2;
/** Segments of a file's passages deleted in one commit. */
export const SEGMENTS_DELETED = 64;

/** Maximum number of log rows per block of the index. */
export const BLOCK_ROWS_MAX = 896;
/** Maximum size of a block, in bytes. */
export const BLOCK_BYTES_MAX = 54 * 1024;
/** Maximum size of the list of a block's ids, in bytes. */
export const BLOCK_IDS_BYTES_MAX = 56 * 1024;
/** Number of index blocks read at once: a search cannot end within them. */
export const READ_AHEAD_BLOCKS = 16;
/** Number of index blocks whose times are remembered, about 100 bytes each. */
export const BLOCK_TIMES_KEPT = 5_000;
/** Time between two writes of the index, in milliseconds. */
export const INDEX_WRITE_MS = 1_000;
/**
 * Maximum number of blocks in memory that wait for the store; beyond it they are rebuilt from the
 * log later.
 */
export const INDEX_BLOCKS_WAITING = 48;
/**
 * Maximum number of unindexed rows for which a search waits, instead of reading them line by line.
 */
export const INDEX_WAIT_ROWS = 20_000;
/**
 * Time that a search spends in the index, in milliseconds; it then ends with a cursor, possibly
 * with fewer rows.
 */
export const SEARCH_MS = 180;
/** Minimum number of steps of a search, so that a paused machine makes no page short. */
export const SEARCH_STEPS_MIN = 256;
/** Steps per block of the index; a segment without a block counts as one. */
export const BLOCK_STEPS = 16;

/** Widths of the sums over requests and the time for which each is stored, in milliseconds. */
export const SUM_LEVELS: readonly { readonly widthMs: number; readonly keptMs: number }[] = [
  { widthMs: 60_000, keptMs: 3 * 3_600_000 },
  { widthMs: 600_000, keptMs: 2 * 86_400_000 },
  { widthMs: 3_600_000, keptMs: 8 * 86_400_000 },
  { widthMs: 6 * 3_600_000, keptMs: 92 * 86_400_000 },
];
/**
 * Maximum size of a row of sums, in bytes: beyond it the keys with the fewest requests are merged.
 */
export const SUMS_BYTES_MAX = 56 * 1024;
/** Rows of sums written or deleted in one commit. */
export const SUMS_WRITTEN = 32;
/** Default number of points of a series. */
export const SERIES_POINTS = 200;
/** Maximum number of points of a series. */
export const SERIES_POINTS_MAX = 400;

/** Bytes of the journal read for one request's entries, from its beginning and from its end. */
export const REQUEST_ENTRIES_BYTES = 16 * 1024 * 1024;
/** Time before a request's end at which the search for its last entries begins, in milliseconds. */
export const REQUEST_END_SLACK_MS = 1_000;

/** Segments read at once. */
export const READ_AHEAD_SEGMENTS = 16;
/**
 * Entries read at once in a scan of the whole journal: more segments at a time when they are small.
 * Commits wait for a read in progress.
 */
export const READ_AHEAD_ENTRIES = 512;
/** Maximum number of segments read at once in a scan of the whole journal. */
export const MAX_READ_AHEAD_SEGMENTS = 256;
/** Time for which a scan of the whole journal may block the event loop, in milliseconds. */
export const READ_TURN_MS = 1;
/** Duration above which a turn of the event loop had other work, in milliseconds. */
export const IDLE_TURN_MS = 0.1;
/**
 * Time for which the event loop then counts as busy, in milliseconds: the scan uses at most half of
 * it.
 */
export const BUSY_MS = 50;
/** Maximum number of ledger problems listed one by one; the rest is counted. */
export const MAX_PROBLEMS = 100;
/**
 * Maximum length of a sentence about a problem, in UTF-16 code units: a damaged row may contain
 * anything.
 */
export const MAX_PROBLEM_CHARS = 1_000;
/**
 * Maximum number of segments read for one page; it then ends with a cursor, possibly with fewer
 * entries.
 */
export const MAX_PAGE_SEGMENTS = 4_000;
/** Maximum attempts to take over a store whose former writer still writes. */
export const MAX_TAKEOVER_TRIES = 20;
