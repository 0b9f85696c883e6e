import { z } from "zod";
import { ServiceFault } from "../../domain/fault.ts";
import { validate } from "../../http/validation.ts";
import { readBytes } from "../../http/read_bytes.ts";
import type {
  AddedFile,
  EmbedOutcome,
  VectorStore,
  VectorStoreFile,
  VectorStoreOutcome,
  VectorStoreRefusal,
} from "../../ports/vector_stores.ts";
import { MAX_FILE_BYTES } from "../../vector_stores/limits.ts";
import { MEDIA_TYPES, mediaTypeOf } from "../../vector_stores/media_types.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { attributes } from "../../admin_api/operations/vector_stores.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import { requireWallet } from "../wallets/find_wallet.ts";
import { pageOf } from "../paging.ts";
import type { AdminCall, Handlers } from "../routes.ts";

/** Handlers of vector stores: files that the keys of a wallet may search with `file_search`. */
export function vectorStoreHandlers(deps: AdminDeps) {
  const { vectorStores } = deps;
  const shownStore = (store: VectorStore) => storeJson(store, vectorStores.embeddingSpace());
  const shownFile = (file: VectorStoreFile) => fileJson(file, vectorStores.embeddingSpace());
  return {
    "GET /vector-stores": ({ query }) => {
      const { wallet, ...page } = query();
      const { rows, cursor } = pageOf(vectorStores.list(wallet), page);
      return { vectorStores: rows.map(shownStore), cursor };
    },
    "POST /vector-stores": async ({ body, entry }) => {
      const { name, wallet } = await body();
      await requireWallet(deps, wallet);
      const options = { ownerId: wallet, entry: entry(shownStore) };
      return shownStore(accepted(await vectorStores.create(name, options)));
    },
    "GET /vector-stores/{id}": async ({ path }) => shownStore(await findStore(path.id, deps)),
    "DELETE /vector-stores/{id}": async ({ path: { id }, entry }) => {
      if (!await vectorStores.remove(id, { entry: entry(shownStore) })) throw noStore(id);
      return { id, deleted: true };
    },
    "GET /vector-stores/{id}/files": async ({ path, query }) => {
      const { rows, cursor } = pageOf(await filesOf(path.id, deps), query());
      return { files: rows.map(shownFile), cursor };
    },
    "POST /vector-stores/{id}/files": (call) => addFile(deps, call),
    "GET /vector-stores/{id}/files/{fileId}": async ({ path }) => {
      const file = (await filesOf(path.id, deps)).find(({ id }) => id === path.fileId);
      if (file === undefined) throw noFile(path);
      return shownFile(file);
    },
    "DELETE /vector-stores/{id}/files/{fileId}": async ({ path, entry }) => {
      const { id } = await findStore(path.id, deps);
      const options = { entry: entry(shownFile) };
      if (!await vectorStores.removeFile(id, path.fileId, options)) throw noFile(path);
      return { id: path.fileId, deleted: true };
    },
    "POST /vector-stores/{id}/files/{fileId}/embeddings": async ({ context, path, entry }) => {
      const { id } = await findStore(path.id, deps);
      const { signal } = context.req.raw;
      const embedded = await vectorStores.embedFile(id, path.fileId, {
        signal,
        entry: entry(shownFile),
      });
      if (!embedded.ok) throw embeddingFault(embedded);
      return shownFile(embedded.value);
    },
    "POST /vector-stores/{id}/search": (call) => search(deps, call),
  } satisfies Partial<Handlers>;
}

async function addFile(
  deps: AdminDeps,
  { context, path, query, entry }: AdminCall<"POST /vector-stores/{id}/files">,
): Promise<AnswerOf<"POST /vector-stores/{id}/files">> {
  const { id } = await findStore(path.id, deps);
  const { filename, attributes } = query();
  const mediaType = typeOf(context, filename);
  const known = readAttributes(attributes);
  const bytes = await readBytes(context.req.raw, { maxBytes: MAX_FILE_BYTES });
  const file = { filename, mediaType, bytes, attributes: known };
  const shown = (each: VectorStoreFile) => fileJson(each, deps.vectorStores.embeddingSpace());
  const added = accepted(await deps.vectorStores.addFile(id, file, { entry: entry(shown) }));
  const { warning } = added;
  return { ...shown(added), warning };
}

function embeddingFault({ code, message }: EmbedOutcome & { ok: false }): ServiceFault {
  switch (code) {
    case "file_not_found":
      return new ServiceFault("not_found", { message });
    case "off":
    case "full":
      return new ServiceFault("conflict", { message });
    case "failed":
      return new ServiceFault("upstream_error", { message });
  }
}

/** Returns the media type that the request declares, or else the one of the file name. */
function typeOf(context: AdminContext, filename: string): string {
  const declared = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (declared !== "" && declared !== "application/octet-stream") return declared;
  const byName = mediaTypeOf(filename);
  if (byName !== undefined) return byName;
  const known = Object.keys(MEDIA_TYPES).join(", ");
  throw new ServiceFault("unsupported_media_type", {
    message: `Cannot tell what "${filename}" is: send its Content-Type, or a name that ends in ` +
      `one of ${known}`,
  });
}

function readAttributes(text: string | undefined) {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "{}");
  } catch {
    throw new ServiceFault("invalid_request", {
      message: 'Cannot accept "attributes": Give a JSON object',
      param: "attributes",
    });
  }
  return validate(z.object({ attributes }), { attributes: value }).attributes;
}

async function search(
  deps: AdminDeps,
  { context, path, body }: AdminCall<"POST /vector-stores/{id}/search">,
): Promise<AnswerOf<"POST /vector-stores/{id}/search">> {
  const { id, ownerId } = await findStore(path.id, deps);
  const { query, ...options } = await body();
  const outcome = await deps.vectorStores.search(ownerId, {
    storeIds: [id],
    text: query,
    ...options,
  }, { signal: context.req.raw.signal });
  return { results: accepted(outcome).map(({ storeId: _storeId, ...hit }) => hit) };
}

async function filesOf(id: string, deps: AdminDeps): Promise<readonly VectorStoreFile[]> {
  const files = await deps.vectorStores.files(id);
  if (files === undefined) throw noStore(id);
  return files;
}

async function findStore(id: string, deps: AdminDeps): Promise<VectorStore> {
  const store = await deps.vectorStores.find(id);
  if (store === undefined) throw noStore(id);
  return store;
}

function noStore(id: string): ServiceFault {
  return new ServiceFault("not_found", { message: `There is no vector store "${id}"` });
}

function noFile({ id, fileId }: { readonly id: string; readonly fileId: string }): ServiceFault {
  const message = `There is no file "${fileId}" in vector store "${id}"`;
  return new ServiceFault("not_found", { message });
}

function accepted<T>(outcome: VectorStoreOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw faultOf(outcome.refusal);
}

function faultOf(refusal: VectorStoreRefusal): ServiceFault {
  switch (refusal.code) {
    case "store_not_found":
      return noStore(refusal.id);
    case "full":
      return new ServiceFault("conflict", { message: refusal.message });
    case "too_large":
      return new ServiceFault("body_too_large", { message: refusal.message });
    case "unsupported_media_type":
      return new ServiceFault("unsupported_media_type", { message: refusal.message });
    case "unreadable":
      return new ServiceFault("invalid_request", { message: refusal.message });
  }
}

function storeJson(
  store: VectorStore,
  space: string | undefined,
): AnswerOf<"GET /vector-stores/{id}"> {
  const { createdAtMs, files, id, name, ownerId, passages, textBytes } = store;
  const createdAt = isoTime(createdAtMs);
  const embeddings = embeddingsJson(store, space);
  return { id, name, wallet: ownerId, createdAt, files, passages, textBytes, embeddings };
}

/** Returns the number of embedded passages and their model; `null` where none is configured. */
function embeddingsJson({ embeddings }: VectorStore, space: string | undefined) {
  if (space === undefined) return null;
  return { model: modelOf(space), passages: embeddings?.[space]?.passages ?? 0 };
}

/** Returns the name of the model, with its dimensions only where they are configured. */
function modelOf(space: string): string {
  return space.replace(/@default$/, "");
}

function fileJson(
  file: AddedFile,
  space: string | undefined,
): AnswerOf<"GET /vector-stores/{id}/files/{fileId}"> {
  const { attributes, createdAtMs, embeddings, filename, id, mediaType, passages, sizeBytes } =
    file;
  const createdAt = isoTime(createdAtMs);
  const embedded = embeddings !== undefined && embeddings.space === space;
  return { id, filename, mediaType, bytes: sizeBytes, passages, embedded, createdAt, attributes };
}
