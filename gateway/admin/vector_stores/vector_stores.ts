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
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { requireWallet } from "../keys/keys.ts";
import { readBody } from "../request_body.ts";
import { readQuery } from "../request_query.ts";
import type { Answer } from "../../admin_api/answers/answer.ts";
import type {
  addedFileAnswer,
  fileAnswer,
  vectorStoreAnswer,
} from "../../admin_api/answers/vector_stores.ts";
import { resource, segment } from "../resource.ts";
import {
  attributes,
  fileQuery,
  newStore,
  storesQuery,
  trial,
} from "../../admin_api/schemas/vector_stores.ts";

/** `/vector-stores`: files that the keys of a wallet may search with `file_search`. */
export function serveVectorStores(app: AdminApp, deps: AdminDeps): void {
  const { vectorStores } = deps;
  resource(app, "/vector-stores", {
    GET: (context) => {
      const { wallet } = readQuery(context, deps, storesQuery);
      const space = vectorStores.embeddingSpace();
      const stores = vectorStores.list(wallet).map((store) => storeJson(store, space));
      return context.json({ vectorStores: stores });
    },
    POST: async (context) => {
      const { name, wallet } = await readBody(context, newStore);
      await requireWallet(deps, wallet);
      const store = accepted(await vectorStores.create(name, { ownerId: wallet }));
      return context.json(storeJson(store, vectorStores.embeddingSpace()), 201);
    },
  });
  resource(app, "/vector-stores/:id", {
    GET: (context) => {
      return context.json(storeJson(findStore(context, deps), vectorStores.embeddingSpace()));
    },
    DELETE: async (context) => {
      const id = segment(context, "id");
      if (!await vectorStores.remove(id)) throw noStore(id);
      return context.json({ id, deleted: true });
    },
  });
  resource(app, "/vector-stores/:id/files", {
    GET: async (context) => {
      const files = await filesOf(context, deps);
      const space = vectorStores.embeddingSpace();
      return context.json({ files: files.map((file) => fileJson(file, space)) });
    },
    POST: (context) => addFile(context, deps),
  });
  resource(app, "/vector-stores/:id/files/:fileId", {
    GET: async (context) => {
      const fileId = segment(context, "fileId");
      const file = (await filesOf(context, deps)).find(({ id }) => id === fileId);
      if (file === undefined) throw noFile(context, fileId);
      return context.json(fileJson(file, vectorStores.embeddingSpace()));
    },
    DELETE: async (context) => {
      const { id } = findStore(context, deps);
      const fileId = segment(context, "fileId");
      if (!await vectorStores.removeFile(id, fileId)) throw noFile(context, fileId);
      return context.json({ id: fileId, deleted: true });
    },
  });
  resource(app, "/vector-stores/:id/files/:fileId/embeddings", {
    POST: (context) => embedFile(context, deps),
  });
  resource(app, "/vector-stores/:id/search", { POST: (context) => search(context, deps) });
}

async function addFile(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { id } = findStore(context, deps);
  const query = readQuery(context, deps, fileQuery);
  const mediaType = typeOf(context, query.filename);
  const known = readAttributes(query.attributes);
  const bytes = await readBytes(context.req.raw, { maxBytes: MAX_FILE_BYTES });
  const { filename } = query;
  const file = { filename, mediaType, bytes, attributes: known };
  const added = accepted(await deps.vectorStores.addFile(id, file));
  const { warning } = added;
  const answer: Answer<typeof addedFileAnswer> = {
    ...fileJson(added, deps.vectorStores.embeddingSpace()),
    warning,
  };
  return context.json(answer, 201);
}

/** Embeds a file that has no embeddings, or those of another model. May be repeated. */
async function embedFile(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { id } = findStore(context, deps);
  const fileId = segment(context, "fileId");
  const { signal } = context.req.raw;
  const embedded = await deps.vectorStores.embedFile(id, fileId, { signal });
  if (!embedded.ok) throw embeddingFault(embedded);
  return context.json(fileJson(embedded.value, deps.vectorStores.embeddingSpace()));
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

/** What the request says the file is, or else what its name says. */
function typeOf(context: AdminContext, filename: string): string {
  const declared = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (declared !== "" && declared !== "application/octet-stream") return declared;
  const told = mediaTypeOf(filename);
  if (told !== undefined) return told;
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

async function search(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { id, ownerId } = findStore(context, deps);
  const { query, ...options } = await readBody(context, trial);
  const found = await deps.vectorStores.search(ownerId, {
    storeIds: [id],
    text: query,
    ...options,
  }, { signal: context.req.raw.signal });
  const results = accepted(found).map(({ storeId: _storeId, ...hit }) => hit);
  return context.json({ results });
}

async function filesOf(
  context: AdminContext,
  deps: AdminDeps,
): Promise<readonly VectorStoreFile[]> {
  const id = segment(context, "id");
  const files = await deps.vectorStores.files(id);
  if (files === undefined) throw noStore(id);
  return files;
}

function findStore(context: AdminContext, deps: AdminDeps): VectorStore {
  const id = segment(context, "id");
  const store = deps.vectorStores.get(id);
  if (store === undefined) throw noStore(id);
  return store;
}

function noStore(id: string): ServiceFault {
  return new ServiceFault("not_found", { message: `There is no vector store "${id}"` });
}

function noFile(context: AdminContext, fileId: string): ServiceFault {
  const message = `There is no file "${fileId}" in vector store "${segment(context, "id")}"`;
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
): Answer<typeof vectorStoreAnswer> {
  const { createdAtMs, files, id, name, ownerId, passages, textBytes } = store;
  const createdAt = new Date(createdAtMs).toISOString();
  const embeddings = embeddingsJson(store, space);
  return { id, name, wallet: ownerId, createdAt, files, passages, textBytes, embeddings };
}

/** How many passages are found by embeddings, and of which model; `null` where none are configured. */
function embeddingsJson({ embeddings }: VectorStore, space: string | undefined) {
  if (space === undefined) return null;
  return { model: modelOf(space), passages: embeddings?.[space]?.passages ?? 0 };
}

/** As an operator reads it: the dimensions only where they were asked for. */
function modelOf(space: string): string {
  return space.replace(/@default$/, "");
}

function fileJson(file: AddedFile, space: string | undefined): Answer<typeof fileAnswer> {
  const { attributes, createdAtMs, embeddings, filename, id, mediaType, passages, sizeBytes } =
    file;
  const createdAt = new Date(createdAtMs).toISOString();
  const embedded = embeddings !== undefined && embeddings.space === space;
  return { id, filename, mediaType, bytes: sizeBytes, passages, embedded, createdAt, attributes };
}
