/**
 * Every limit of the vector stores.
 *
 * @module
 */

/** Maximum length of a passage, in estimated tokens: OpenAI's own size. */
export const PASSAGE_TOKENS = 800;
/** Overlap of a passage with the one before, in estimated tokens. */
export const OVERLAP_TOKENS = 200;

/** Maximum size of a file, in bytes: 32 MiB. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Maximum length of a file's text, in UTF-16 code units. */
export const MAX_TEXT_CHARS = 16 * 1024 * 1024;
/** Length of a text that is read at once, in UTF-16 code units: all of most files. */
export const TEXT_PART_CHARS = 1024 * 1024;
/** Maximum number of pages of a PDF. */
export const MAX_PDF_PAGES = 5_000;
/** Maximum number of files of a store. */
export const MAX_FILES = 1_000;
/** Maximum number of passages of a store. */
export const MAX_PASSAGES = 20_000;
/** Maximum number of results of a search. */
export const MAX_RESULTS = 50;
/** Default number of results of a search. */
export const DEFAULT_RESULTS = 20;
/** Maximum number of stores in one search. */
export const MAX_STORES_SEARCHED = 20;
/** Maximum number of different words of a query that are searched. */
export const MAX_QUERY_WORDS = 64;
/** Maximum length of a query, in UTF-16 code units. */
export const MAX_QUERY_CHARS = 8_000;

/** Time for extracting the text of a file, in milliseconds. */
export const EXTRACT_MS = 60_000;
/** Time after which a thread that does not check the time is ended, in milliseconds. */
export const EXTRACT_GRACE_MS = 5_000;
/**
 * Maximum size of a buffer in the extraction thread, in bytes: twice the output of one PDF stream.
 */
export const EXTRACT_BUFFER_BYTES = 64 * 1024 * 1024;
/** Maximum size of all buffers ever created in the extraction thread, in bytes. */
export const EXTRACT_TOTAL_BYTES = 1024 * 1024 * 1024;
/** Heap of the extraction thread, in MiB. */
export const EXTRACT_HEAP_MIB = 1_024;
/** Maximum nesting depth of an HTML page. */
export const MAX_HTML_DEPTH = 5_000;

/**
 * Maximum number of passages in loaded indexes, enough for two of the largest stores: beyond it the
 * least recently used index is dropped.
 */
export const MAX_LOADED_PASSAGES = 40_000;
/** Maximum number of passages of a small load, which waits for no larger one. */
export const SMALL_LOAD = 1_000;
/** Number of passages sent to the index at once. */
export const LOAD_BATCH = 100;
/** Idle time after which the index is freed, in milliseconds. */
export const INDEX_IDLE_MS = 10 * 60_000;
/**
 * Heap of the index thread, in MiB: twice the need of {@linkcode MAX_LOADED_PASSAGES}, of which 4
 * 000 of Chinese were measured to take 156 MB.
 */
export const INDEX_HEAP_MIB = 3_072;
/**
 * Part of the heap for new values, in MiB: words come and go, and loading takes a third longer with
 * less.
 */
export const INDEX_YOUNG_HEAP_MIB = 96;

/** Number of texts embedded by one call. */
export const EMBED_BATCH_TEXTS = 32;
/** UTF-16 code units embedded by one call; a longer text goes alone. */
export const EMBED_BATCH_CHARS = 128 * 1024;
/** Maximum number of calls in flight for one file. */
export const EMBED_AT_ONCE = 4;
/** Time for one call that embeds passages, in milliseconds. */
export const EMBED_MS = 60_000;
/** Maximum size of the vectors of one file, in bytes: 256 MiB. */
export const MAX_FILE_VECTOR_BYTES = 256 * 1024 * 1024;
/**
 * Length of the part of a query that is embedded, in UTF-16 code units: models take about as many
 * tokens at most.
 */
export const EMBED_QUERY_CHARS = 4_000;
/** Longest wait of a search for the vector of its query, in milliseconds. */
export const EMBED_QUERY_MS = 5_000;
/** Time without query embeddings after a failure, in milliseconds. */
export const EMBED_REST_MS = 10_000;
