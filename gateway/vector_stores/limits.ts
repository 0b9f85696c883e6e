/**
 * Every limit of the vector stores.
 *
 * @module
 */

/** Longest passage, in estimated tokens: OpenAI's own size. */
export const PASSAGE_TOKENS = 800;
/** What a passage repeats of the one before, in estimated tokens. */
export const OVERLAP_TOKENS = 200;

/** Largest file, in bytes: 32 MiB. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Longest text of a file, in UTF-16 code units. */
export const MAX_TEXT_CHARS = 16 * 1024 * 1024;
/** Most pages of a PDF. */
export const MAX_PDF_PAGES = 5_000;
/** Most files of a store. */
export const MAX_FILES = 1_000;
/** Most passages of a store. */
export const MAX_PASSAGES = 20_000;
/** Most results of a search. */
export const MAX_RESULTS = 50;
/** Results of a search that names no number. */
export const DEFAULT_RESULTS = 20;
/** Most stores that one search looks through. */
export const MAX_STORES_SEARCHED = 20;
/** Most different words of a query that are looked for. */
export const MAX_QUERY_WORDS = 64;
/** Longest query, in UTF-16 code units. */
export const MAX_QUERY_CHARS = 8_000;

/** Time to get the text out of a file, in milliseconds. */
export const EXTRACT_MS = 60_000;
/** Time after which a thread that does not look at the time is given up, in milliseconds. */
export const EXTRACT_GRACE_MS = 5_000;
/** Largest buffer for it, in bytes: what one stream of a PDF may unpack to, twice. */
export const EXTRACT_BUFFER_BYTES = 64 * 1024 * 1024;
/** All buffers ever made for it, in bytes. */
export const EXTRACT_TOTAL_BYTES = 1024 * 1024 * 1024;
/** Heap for it, in MiB. */
export const EXTRACT_HEAP_MIB = 1_024;
/** Deepest nesting of a page of HTML. */
export const MAX_HTML_DEPTH = 5_000;

/** Passages in loaded indexes, as many as two of the largest stores: beyond, the index that was used longest ago is dropped. */
export const MAX_LOADED_PASSAGES = 40_000;
/** Most passages of a load that waits for no larger one. */
export const SMALL_LOAD = 1_000;
/** Passages sent to the index at once. */
export const LOAD_BATCH = 100;
/** The index is given back when nobody has searched for so long, in milliseconds. */
export const INDEX_IDLE_MS = 10 * 60_000;
/** Heap of the indexes, in MiB: twice what {@linkcode MAX_LOADED_PASSAGES} take, of which 4 000 of Chinese were measured to take 156 MB. */
export const INDEX_HEAP_MIB = 3_072;
/** What of it holds new values, in MiB: words come and go, and loading takes a third longer with less. */
export const INDEX_YOUNG_HEAP_MIB = 96;

/** Texts embedded by one call. */
export const EMBED_BATCH_TEXTS = 32;
/** UTF-16 code units embedded by one call; a text that is longer goes alone. */
export const EMBED_BATCH_CHARS = 128 * 1024;
/** Calls for one file that are under way at once. */
export const EMBED_AT_ONCE = 4;
/** Time for one call that embeds passages, in milliseconds. */
export const EMBED_MS = 60_000;
/** Bytes of the vectors of one file: 256 MiB. */
export const MAX_FILE_VECTOR_BYTES = 256 * 1024 * 1024;
/** What of a query is embedded, in UTF-16 code units: models take no more than about as many tokens. */
export const EMBED_QUERY_CHARS = 4_000;
/** Time that a search waits for the vector of its query, in milliseconds. */
export const EMBED_QUERY_MS = 5_000;
/** Time in which no query is embedded after one could not be, in milliseconds. */
export const EMBED_REST_MS = 10_000;
