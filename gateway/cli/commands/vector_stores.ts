import { MEDIA_TYPES, mediaTypeOf } from "../../vector_stores/media_types.ts";
import { fileErrorText } from "../../system/file_error_text.ts";
import type { Call, Command, Output, Page } from "../command.ts";
import { DEFAULT_RESULTS, MAX_RESULTS } from "../../vector_stores/limits.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { type Row, rowOf, rowsOf, textOf, timeOf } from "../output/json_fields.ts";
import { type ProgressBar, progressBar } from "../output/progress_bar.ts";
import { amount, column, facts, id, optional, table, time } from "../output/table.ts";

/** `svc vector-stores …`. */
export const vectorStoreCommands: readonly Command[] = [
  {
    words: "vector-stores create",
    operands: ["NAME"],
    required: ["wallet"],
    summary: "Create a vector store that the keys of a wallet may search",
    meanings: { wallet: "The wallet whose keys may search it" },
    run: async ({ client, operands: [name], option }) => {
      const json = await client.post("/vector-stores", { name, wallet: option("wallet") });
      return { json, text: () => storeText(json) };
    },
  },
  {
    words: "vector-stores add",
    operands: ["ID", "FILE..."],
    summary: "Add files: text, Markdown, HTML, PDF",
    run: add,
  },
  {
    words: "vector-stores list",
    options: ["wallet"],
    summary: "List the vector stores",
    meanings: { wallet: "Only stores of this wallet" },
    run: async ({ client, option }) => {
      const json = await client.get("/vector-stores", { wallet: option("wallet") });
      const empty = "There are no vector stores";
      const rows = rowsOf(json, "vectorStores");
      return { json, text: ({ width }) => table(STORES, rows, { width, empty }) };
    },
  },
  {
    words: "vector-stores show",
    operands: ["ID"],
    summary: "Show a vector store and its files",
    run: async ({ client, operands: [store] }) => {
      const json = {
        ...await client.get(pathOf(store)),
        contents: rowsOf(await client.get(pathOf(store, "/files")), "files"),
      };
      return {
        json,
        text: (page) => `${storeText(json)}\n${filesText(json.contents, page)}`,
      };
    },
  },
  {
    words: "vector-stores remove",
    operands: ["ID"],
    options: ["file"],
    summary: "Remove a vector store with its files, or one file of it",
    meanings: { file: "The id of a file: it alone goes" },
    run: async ({ client, operands: [store], option }) => {
      const file = option("file");
      const path = pathOf(store, file === undefined ? "" : `/files/${encodeURIComponent(file)}`);
      const json = await client.delete(path);
      return { json, text: () => `Removed ${textOf(json, "id")}\n` };
    },
  },
  {
    words: "vector-stores reindex",
    operands: ["ID"],
    summary: "Embed the files that have no embeddings of the model in force",
    run: reindex,
  },
  {
    words: "vector-stores search",
    operands: ["ID", "QUERY..."],
    options: ["limit"],
    summary: "Try what a search finds",
    meanings: { limit: `Most results to show (${DEFAULT_RESULTS}; at most ${MAX_RESULTS})` },
    run: search,
  },
];

const STORES = [
  id("VECTOR STORE", "id"),
  column("NAME", "name"),
  column("WALLET", "wallet"),
  amount("FILES", "files"),
  amount("PASSAGES", "passages"),
  optional(time("CREATED", "createdAt")),
];
const FILES = [
  id("FILE", "id"),
  column("NAME", "filename"),
  optional(column("TYPE", "mediaType")),
  amount("BYTES", "bytes"),
  amount("PASSAGES", "passages"),
  optional({ ...column("EMBEDDED", ""), cell: (row) => row.embedded === true ? "yes" : "no" }),
  optional(time("ADDED", "createdAt")),
];

function pathOf(store: string | undefined, rest = ""): string {
  return `/vector-stores/${encodeURIComponent(store ?? "")}${rest}`;
}

/** Adds one file after another, with progress on a terminal. Added files stay after a failure. */
async function add(call: Call): Promise<Output> {
  const [store, ...paths] = call.operands;
  const files = paths.map((path) => ({ path, mediaType: requireType(path) }));
  const added: Row[] = [];
  let failure: string | undefined;
  for (const { path, mediaType } of files) {
    const bar = begin(call, { verb: "Adding", name: path, done: added.length, of: files.length });
    try {
      const bytes = await readBytes(call, path);
      const query = { filename: path.split(/[\\/]/).at(-1) ?? path };
      added.push(await call.client.upload(pathOf(store, "/files"), { bytes, mediaType, query }));
    } catch (error) {
      if (!(error instanceof CliFailure) || added.length === 0) throw error;
      failure = `${error.message}; ${added.length} of ${files.length} files were added before it`;
      break;
    } finally {
      bar.end();
    }
  }
  const warnings = added.map((file) => textOf(file, "warning")).filter(Boolean);
  if (warnings.length > 0) call.warn(`${warnings.join("; ")}; ${retry(store)}`);
  return { json: { files: added }, text: (page) => filesText(added, page), failure };
}

function retry(store: string | undefined): string {
  return `until \`svc vector-stores reindex ${store}\` they are found by their words alone`;
}

/**
 * Embeds one file after another, with progress on a terminal. Finished files stay after a failure.
 */
async function reindex(call: Call): Promise<Output> {
  const [store] = call.operands;
  const files = rowsOf(await call.client.get(pathOf(store, "/files")), "files");
  const lacking = files.filter(({ embedded }) => embedded !== true);
  const embedded: Row[] = [];
  let failure: string | undefined;
  for (const file of lacking) {
    const name = textOf(file, "filename");
    const of = lacking.length;
    const bar = begin(call, { verb: "Embedding", name, done: embedded.length, of });
    try {
      const path = `/files/${encodeURIComponent(textOf(file, "id"))}/embeddings`;
      embedded.push(await call.client.post(pathOf(store, path), {}));
    } catch (error) {
      if (!(error instanceof CliFailure) || embedded.length === 0) throw error;
      failure =
        `${error.message}; ${embedded.length} of ${lacking.length} files were embedded before it`;
      break;
    } finally {
      bar.end();
    }
  }
  const text = ({ width }: Page) =>
    table(FILES, embedded, { width, empty: "All files have their embeddings" });
  return { json: { files: embedded }, text, failure };
}

/** Prints the name of the current file, with a progress bar below it. */
function begin(
  call: Call,
  { verb, name, done, of }: { verb: string; name: string; done: number; of: number },
): ProgressBar {
  if (call.io.isTerminal) call.print(`${verb} ${name} (${done + 1} of ${of})\n`);
  const bar = progressBar(call.io, { label: verb, unit: "files", quiet: call.has("json") });
  bar.show(done, of);
  return bar;
}

function requireType(path: string): string {
  const mediaType = mediaTypeOf(path);
  if (mediaType !== undefined) return mediaType;
  const extensions = Object.keys(MEDIA_TYPES).map((extension) => `.${extension}`).join(", ");
  throw new CliFailure(`Cannot add "${path}": its name must end in one of ${extensions}`);
}

async function readBytes({ io }: Call, path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await io.readBytes(path);
  } catch (cause) {
    throw new CliFailure(`Cannot read "${path}": ${fileErrorText(cause)}`, { cause });
  }
}

async function search(call: Call): Promise<Output> {
  const [store, ...words] = call.operands;
  const limit = Number(call.option("limit") ?? DEFAULT_RESULTS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESULTS) {
    throw new UsageError(`Cannot accept --limit: Give a whole number from 1 to ${MAX_RESULTS}`);
  }
  const json = await call.client.post(pathOf(store, "/search"), {
    query: words.join(" "),
    maxResults: limit,
  });
  return { json, text: () => hitsText(rowsOf(json, "results")) };
}

function hitsText(hits: readonly Row[]): string {
  if (hits.length === 0) return "Nothing found\n";
  return hits.map((hit) => {
    const score = Number(hit.score).toFixed(2);
    const text = textOf(hit, "text").replace(/\s+/g, " ").replace(/\p{C}/gu, "?");
    const excerpt = text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
    return facts([[score, textOf(hit, "filename")], ["", excerpt]]);
  }).join("");
}

const EXCERPT_CHARS = 240;

function filesText(files: readonly Row[], { width }: Page): string {
  return table(FILES, files, { width, empty: "There are no files" });
}

function embeddingsFact(embeddings: Row): [string, string][] {
  const model = textOf(embeddings, "model");
  return model === "" ? [] : [["embedded", `${textOf(embeddings, "passages")} by ${model}`]];
}

function storeText(store: Row): string {
  return facts([
    ["vector store", textOf(store, "id")],
    ["name", textOf(store, "name")],
    ["wallet", textOf(store, "wallet")],
    ["files", textOf(store, "files")],
    ["passages", textOf(store, "passages")],
    ...embeddingsFact(rowOf(store, "embeddings")),
    ["created", timeOf(store, "createdAt")],
  ]);
}
