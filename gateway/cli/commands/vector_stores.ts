import type { AdminClient } from "../admin_client.ts";
import { nextPage } from "./wallets.ts";
import { PAGE_LIMIT } from "../../admin_api/query_fields.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { MEDIA_TYPES, mediaTypeOf } from "../../vector_stores/media_types.ts";
import { fileErrorText } from "../../system/file_error_text.ts";
import type { Call, Command, Output, Page } from "../command.ts";
import { DEFAULT_RESULTS, MAX_RESULTS } from "../../vector_stores/limits.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { timeText } from "../output/field_text.ts";
import { type ProgressBar, progressBar } from "../output/progress_bar.ts";
import { amount, type Column, column, facts, id, optional, table, time } from "../output/table.ts";

/** `svc vector-stores …`. */
export const vectorStoreCommands: readonly Command[] = [
  {
    words: "vector-stores create",
    operands: ["NAME"],
    required: ["wallet"],
    summary: "Create a vector store that the keys of a wallet may search",
    meanings: { wallet: "The wallet whose keys may search it" },
    run: async ({ client, operands: [name], option }) => {
      const body = { name, wallet: option("wallet") };
      const json = await client.call("POST /vector-stores", { body });
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
    options: ["wallet", "limit", "cursor"],
    summary: "List the vector stores",
    meanings: { wallet: "Only stores of this wallet" },
    run: async ({ client, option }) => {
      const query = {
        wallet: option("wallet"),
        limit: option("limit"),
        cursor: option("cursor"),
      };
      const json = await client.call("GET /vector-stores", { query });
      const empty = "There are no vector stores";
      return {
        json,
        text: ({ width }) => table(STORES, json.vectorStores, { width, empty }) + nextPage(json),
      };
    },
  },
  {
    words: "vector-stores show",
    operands: ["ID"],
    summary: "Show a vector store and its files",
    run: async ({ client, operands: [id = ""] }) => {
      const store = await client.call("GET /vector-stores/{id}", { id });
      const files = await filesOf(client, id);
      const json = { ...store, contents: files };
      return { json, text: (page) => `${storeText(json)}\n${filesText(json.contents, page)}` };
    },
  },
  {
    words: "vector-stores remove",
    operands: ["ID"],
    options: ["file"],
    summary: "Remove a vector store with its files, or one file of it",
    meanings: { file: "Id of a file: only this file is removed" },
    run: async ({ client, operands: [id = ""], option }) => {
      const fileId = option("file");
      const json = fileId === undefined
        ? await client.call("DELETE /vector-stores/{id}", { id })
        : await client.call("DELETE /vector-stores/{id}/files/{fileId}", { id, fileId });
      return { json, text: () => `Removed ${json.id}\n` };
    },
  },
  {
    words: "vector-stores reindex",
    operands: ["ID"],
    summary: "Embed the files without embeddings of the model in force",
    run: reindex,
  },
  {
    words: "vector-stores search",
    operands: ["ID", "QUERY..."],
    options: ["limit"],
    summary: "Search a vector store",
    meanings: { limit: `Most results to show (${DEFAULT_RESULTS}; at most ${MAX_RESULTS})` },
    run: search,
  },
];

/** Returns all files of a vector store. */
async function filesOf(client: AdminClient, id: string): Promise<readonly File[]> {
  const files: File[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: String(PAGE_LIMIT), cursor };
    const page: AnswerOf<"GET /vector-stores/{id}/files"> = await client.call(
      "GET /vector-stores/{id}/files",
      { id, query },
    );
    files.push(...page.files);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return files;
}

type Store = AnswerOf<"GET /vector-stores/{id}">;
type File = AnswerOf<"GET /vector-stores/{id}/files/{fileId}">;
type Hit = AnswerOf<"POST /vector-stores/{id}/search">["results"][number];

const STORES: readonly Column<Store>[] = [
  id("VECTOR STORE", "id"),
  column("NAME", "name"),
  column("WALLET", "wallet"),
  amount("FILES", "files"),
  amount("PASSAGES", "passages"),
  optional(time("CREATED", "createdAt")),
];
const FILES: readonly Column<File>[] = [
  id("FILE", "id"),
  column("NAME", "filename"),
  optional(column("TYPE", "mediaType")),
  amount("BYTES", "bytes"),
  amount("PASSAGES", "passages"),
  {
    title: "EMBEDDED",
    cell: ({ embedded }) => embedded ? "yes" : "no",
    kind: "text",
    optional: true,
  },
  optional(time("ADDED", "createdAt")),
];

/** Adds one file after another, with progress on a terminal. Added files stay after a failure. */
async function add(call: Call): Promise<Output> {
  const [id = "", ...paths] = call.operands;
  const files = paths.map((path) => ({ path, mediaType: requireType(path) }));
  const added: AnswerOf<"POST /vector-stores/{id}/files">[] = [];
  let failure: string | undefined;
  for (const { path, mediaType } of files) {
    const bar = begin(call, { verb: "Adding", name: path, done: added.length, of: files.length });
    try {
      const bytes = await readBytes(call, path);
      const query = { filename: path.split(/[\\/]/).at(-1) ?? path };
      const upload = { bytes, mediaType };
      added.push(await call.client.upload("POST /vector-stores/{id}/files", upload, { id, query }));
    } catch (error) {
      if (!(error instanceof CliFailure) || added.length === 0) throw error;
      failure = `${error.message}; ${added.length} of ${files.length} files were added before it`;
      break;
    } finally {
      bar.end();
    }
  }
  const warnings = added.flatMap(({ warning }) => warning ?? []);
  if (warnings.length > 0) call.warn(`${warnings.join("; ")}; ${retry(id)}`);
  return { json: { files: added }, text: (page) => filesText(added, page), failure };
}

function retry(store: string): string {
  return `until \`svc vector-stores reindex ${store}\` only a search by words finds them`;
}

/**
 * Embeds one file after another, with progress on a terminal. Finished files stay after a failure.
 */
async function reindex(call: Call): Promise<Output> {
  const [id = ""] = call.operands;
  const files = await filesOf(call.client, id);
  const lacking = files.filter(({ embedded }) => !embedded);
  const embedded: File[] = [];
  let failure: string | undefined;
  for (const { id: fileId, filename: name } of lacking) {
    const of = lacking.length;
    const bar = begin(call, { verb: "Embedding", name, done: embedded.length, of });
    try {
      const target = "POST /vector-stores/{id}/files/{fileId}/embeddings";
      embedded.push(await call.client.call(target, { id, fileId }));
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
  const [id = "", ...words] = call.operands;
  const limit = Number(call.option("limit") ?? DEFAULT_RESULTS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESULTS) {
    throw new UsageError(`Cannot accept --limit: Give a whole number from 1 to ${MAX_RESULTS}`);
  }
  const body = { query: words.join(" "), maxResults: limit };
  const json = await call.client.call("POST /vector-stores/{id}/search", { id, body });
  return { json, text: () => hitsText(json.results) };
}

function hitsText(hits: readonly Hit[]): string {
  if (hits.length === 0) return "Nothing found\n";
  return hits.map(({ score, filename, text: passage }) => {
    const text = passage.replace(/\s+/g, " ").replace(/\p{C}/gu, "?");
    const excerpt = text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
    return facts([[score.toFixed(2), filename], ["", excerpt]]);
  }).join("");
}

const EXCERPT_CHARS = 240;

function filesText(files: readonly File[], { width }: Page): string {
  return table(FILES, files, { width, empty: "There are no files" });
}

function embeddingsFact(embeddings: Store["embeddings"]): [string, string][] {
  return embeddings === null ? [] : [["embedded", `${embeddings.passages} by ${embeddings.model}`]];
}

function storeText(store: Store): string {
  return facts([
    ["vector store", store.id],
    ["name", store.name],
    ["wallet", store.wallet],
    ["files", String(store.files)],
    ["passages", String(store.passages)],
    ...embeddingsFact(store.embeddings),
    ["created", timeText(store.createdAt)],
  ]);
}
