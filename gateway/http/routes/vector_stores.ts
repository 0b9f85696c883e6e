/**
 * The routes of vector stores of callers: an extension with OpenAI's addresses and shapes. A key
 * finds the stores of its wallet; a store of another wallet answers like one that does not exist.
 *
 * @module
 */

import type { Context, Hono, MiddlewareHandler } from "@hono/hono";
import type { z } from "zod";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Attachment, CallerStores, TextPage } from "../../flows/files/caller_stores.ts";
import type { StoreDescription, VectorStoreFile } from "../../ports/vector_stores.ts";
import type { PublicEnv } from "../env.ts";
import {
  batchJson,
  fileTextJson,
  hitsJson,
  pageJson,
  storeFileJson,
  storeJson,
} from "../files_json.ts";
import { PUBLIC_PATHS, routeOf } from "../public_paths.ts";
import { queryOf } from "../query_of.ts";
import { readJson } from "../read_json.ts";
import { requireEndpoint } from "../require_endpoint.ts";
import {
  changedStoreFileSchema,
  changedStoreSchema,
  fileTextQuerySchema,
  newBatchSchema,
  newStoreFileSchema,
  newStoreSchema,
  pageQuerySchema,
  storeFilesQuerySchema,
  storeSearchSchema,
} from "../schemas/files.ts";
import { validate } from "../validation.ts";
import { answer } from "./files.ts";

/** Dependencies of the routes of vector stores. */
export interface VectorStoreRoutes {
  /** Refuses requests without a valid key. */
  readonly keyed: MiddlewareHandler<PublicEnv>;
  /** Refuses requests beyond the key's rate. */
  readonly limited: MiddlewareHandler<PublicEnv>;
  readonly stores: CallerStores;
}

/** Maximum size of a request, in bytes: a batch of files with attributes fits. */
const BODY_BYTES = 1024 * 1024;
/** Number of results where a search does not say one. */
const RESULTS = 10;

/** A request with what its handler needs. */
interface Call {
  readonly c: Context<PublicEnv>;
  readonly key: KeyRecord;
  readonly stores: CallerStores;
  readonly id: string;
}

type Handle = (call: Call) => Promise<object>;

/** Adds the routes of vector stores to an application. */
export function routeVectorStores(app: Hono<PublicEnv>, options: VectorStoreRoutes): void {
  const { keyed, limited, stores } = options;
  const add = (method: "get" | "post" | "delete", path: string, handle: Handle) => {
    app.on(method.toUpperCase(), routeOf(path), keyed, limited, async (c) => {
      const key = c.get("key");
      requireFileSearch(key);
      return answer(c, await handle({ c, key, stores, id: c.req.param("id") ?? "" }));
    });
  };
  const paths = PUBLIC_PATHS;
  add("post", paths.vectorStores, create);
  add("get", paths.vectorStores, list);
  add("get", paths.vectorStore, async ({ key, id }) => storeJson(await stores.get(key, id)));
  add("post", paths.vectorStore, change);
  add("delete", paths.vectorStore, remove);
  add("post", paths.vectorStoreSearch, search);
  add("post", paths.vectorStoreFiles, addFile);
  add("get", paths.vectorStoreFiles, listFiles);
  add("get", paths.vectorStoreFile, async (call) => storeFileJson(await findFile(call)));
  add("post", paths.vectorStoreFile, changeFile);
  add("delete", paths.vectorStoreFile, removeFile);
  add("get", paths.vectorStoreFileContent, readText);
  add("post", paths.fileBatches, addBatch);
  add("get", paths.fileBatch, getBatch);
  // A batch is complete once it has an id: there is nothing left to cancel.
  add("post", paths.cancelFileBatch, getBatch);
  add("get", paths.fileBatchFiles, listBatch);
}

function requireFileSearch(key: KeyRecord): void {
  requireEndpoint(key, "responses");
  if (key.policy.hostedTools?.includes("file_search") !== false) return;
  throw new ServiceFault("policy_denied", {
    message: 'The key\'s policy does not allow the hosted tool "file_search"',
  });
}

async function bodyOf<Schema extends z.ZodType>(
  { c }: Call,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { value } = await readJson(c.req.raw, { maxBytes: BODY_BYTES });
  return validate(schema, value);
}

async function create(call: Call): Promise<object> {
  const { c, key, stores } = call;
  const { name, file_ids = [], ...rest } = await bodyOf(call, newStoreSchema);
  const store = await stores.create(key, { name: name ?? "", ...descriptionOf(rest) });
  const attachments = file_ids.map((fileId, at) => ({ fileId, param: `file_ids.${at}` }));
  try {
    await stores.add(key, store.id, { attachments, signal: c.req.raw.signal });
  } catch (error) {
    // The caller has no id to delete it by.
    await stores.delete(key, store.id);
    throw error;
  }
  return storeJson(await stores.get(key, store.id));
}

async function list({ c, key, stores }: Call): Promise<object> {
  const query = validate(pageQuerySchema, queryOf(c.req));
  return pageJson((await stores.list(key)).map(storeJson), query);
}

async function change(call: Call): Promise<object> {
  const { id, key, stores } = call;
  const { name, ...rest } = await bodyOf(call, changedStoreSchema);
  const description = {
    ...(typeof name === "string" ? { name } : {}),
    ...descriptionOf(rest),
  };
  return storeJson(await stores.describe(key, id, description));
}

async function remove({ id, key, stores }: Call): Promise<object> {
  await stores.delete(key, id);
  return { id, object: "vector_store.deleted", deleted: true };
}

async function search(call: Call): Promise<object> {
  const { c, id, key, stores } = call;
  const body = await bodyOf(call, storeSearchSchema);
  const hits = await stores.search(key, {
    storeId: id,
    text: [body.query].flat().join("\n"),
    maxResults: body.max_num_results ?? RESULTS,
    scoreThreshold: body.ranking_options?.score_threshold ?? undefined,
    filter: body.filters ?? undefined,
  }, c.req.raw.signal);
  return hitsJson(body.query, hits);
}

async function addFile(call: Call): Promise<object> {
  const { c, id, key, stores } = call;
  const { file_id, attributes } = await bodyOf(call, newStoreFileSchema);
  const attachment = attachmentOf({ file_id, attributes }, "file_id");
  const [added] = await stores.add(key, id, {
    attachments: [attachment],
    signal: c.req.raw.signal,
  });
  return added === undefined ? {} : storeFileJson(added);
}

async function listFiles({ c, id, key, stores }: Call): Promise<object> {
  return filesPage(c, await stores.files(key, id));
}

function filesPage(c: Context<PublicEnv>, files: readonly VectorStoreFile[]): object {
  const { filter, ...page } = validate(storeFilesQuerySchema, queryOf(c.req));
  const all = files.map(storeFileJson);
  return pageJson(all.filter(({ status }) => filter === undefined || status === filter), page);
}

async function findFile({ c, id, key, stores }: Call): Promise<VectorStoreFile> {
  return await stores.file(key, id, c.req.param("fileId") ?? "");
}

async function changeFile(call: Call): Promise<object> {
  const { c, id, key, stores } = call;
  const { attributes } = await bodyOf(call, changedStoreFileSchema);
  const fileId = c.req.param("fileId") ?? "";
  return storeFileJson(
    await stores.setAttributes(key, id, { fileId, attributes: attributes ?? {} }),
  );
}

async function readText({ c, id, key, stores }: Call): Promise<object> {
  const { page } = validate(fileTextQuerySchema, queryOf(c.req));
  const fileId = c.req.param("fileId") ?? "";
  return fileTextJson(await stores.text(key, id, { fileId, page: textPageOf(page) }));
}

/** Returns the place that a checked `page` names. */
function textPageOf(page: string | undefined): TextPage | undefined {
  if (page === undefined) return undefined;
  const end = page.lastIndexOf(".");
  return { textId: page.slice(0, end), from: Number(page.slice(end + 1)) };
}

async function removeFile(call: Call): Promise<object> {
  const { sourceId, id } = await findFile(call);
  const fileId = sourceId ?? id;
  await call.stores.removeFile(call.key, call.id, fileId);
  return { id: fileId, object: "vector_store.file.deleted", deleted: true };
}

async function addBatch(call: Call): Promise<object> {
  const { c, id, key, stores } = call;
  const { attributes, file_ids = [], files = [] } = await bodyOf(call, newBatchSchema);
  const attachments = [
    ...file_ids.map((file_id, at) => attachmentOf({ file_id, attributes }, `file_ids.${at}`)),
    ...files.map((file, at) => attachmentOf(file, `files.${at}.file_id`)),
  ];
  const batchId = stores.newBatchId();
  const { signal } = c.req.raw;
  return batchJson(batchId, await stores.add(key, id, { attachments, batchId, signal }));
}

async function getBatch(call: Call): Promise<object> {
  const files = await batchFiles(call);
  return batchJson(files[0]?.batchId ?? "", files);
}

async function listBatch(call: Call): Promise<object> {
  return filesPage(call.c, await batchFiles(call));
}

async function batchFiles({ c, id, key, stores }: Call): Promise<readonly VectorStoreFile[]> {
  const wanted = c.req.param("batchId");
  const files = (await stores.files(key, id)).filter(({ batchId }) => batchId === wanted);
  if (files.length > 0) return files;
  throw new ServiceFault("not_found", {
    message: "There is no such batch: it never existed, or none of its files is left",
    param: "batch_id",
  });
}

function attachmentOf(
  { attributes, file_id: fileId }: Pick<
    z.output<typeof newStoreFileSchema>,
    "file_id" | "attributes"
  >,
  param: string,
): Attachment {
  return { fileId, attributes: attributes ?? undefined, param };
}

/** Returns the part of a description that a request names; `null` takes the present one away. */
function descriptionOf(
  { expires_after, metadata }: Pick<
    z.output<typeof changedStoreSchema>,
    "expires_after" | "metadata"
  >,
): StoreDescription {
  return {
    ...(metadata === undefined ? {} : { metadata: metadata ?? undefined }),
    ...(expires_after === undefined ? {} : { expiresAfterDays: expires_after?.days }),
  };
}
