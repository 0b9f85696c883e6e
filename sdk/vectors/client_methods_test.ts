/** The methods of a client by the names that the vectors use. */

import type { ServiceClient } from "../mod.ts";
import type { Fields } from "./vector_file_test.ts";

/** A call of a method as a case states it: data, which the types of the methods do not know. */
export interface MethodCall {
  readonly client: ServiceClient;
  readonly request: Fields;
  readonly options: Fields;
  /** Receives each event of a raw stream as it arrives. */
  readonly onEvent: (event: unknown) => void;
}

type Method = (call: MethodCall) => Promise<unknown>;

/** An untyped method of a surface. */
function invoke(surface: object, name: string, ...given: unknown[]): unknown {
  return Reflect.apply(Reflect.get(surface, name), surface, given);
}

function whole(surfaceOf: (client: ServiceClient) => object, name: string): Method {
  return async ({ client, request, options }) =>
    await invoke(surfaceOf(client), name, request, options);
}

function streamed(surfaceOf: (client: ServiceClient) => object, name: string): Method {
  return async ({ client, request, options, onEvent }) => {
    const stream = invoke(surfaceOf(client), name, request, options);
    for await (const event of stream as AsyncIterable<unknown>) onEvent(event);
    return await invoke(Object(stream), "final");
  };
}

function catalog(surfaceOf: (client: ServiceClient) => object, name: string): Method {
  return async ({ client, options }) => await invoke(surfaceOf(client), name, options);
}

/** A method whose arguments stand in the request: ids by these names, and `with` last. `of` is a store with it. */
function stored(
  surfaceOf: (client: ServiceClient) => object,
  name: string,
  ...ids: readonly string[]
): Method {
  return async ({ client, request, options }) => {
    const given = ids.map((id) =>
      id === "of"
        ? { vector_store_id: request["storeId"], ...Object(request["with"]) }
        : request[id]
    );
    return await invoke(surfaceOf(client), name, ...given, options);
  };
}

/** Uploads a file whose name and text stand in the request, as a blob or opened for each attempt. */
function upload(isStreamed: boolean): Method {
  return async ({ client, request, options }) => {
    const { purpose, expires_after } = request;
    const { name, text }: Fields = Object(request["file"]);
    const file = new File([String(text)], String(name));
    const opened = { name, open: () => file.stream() };
    const body = { file: isStreamed ? opened : file, purpose, expires_after };
    return await invoke(client.files, "create", body, options);
  };
}

const storesOf = ({ vectorStores }: ServiceClient) => vectorStores;
const storeFilesOf = ({ vectorStores }: ServiceClient) => vectorStores.files;
const fileBatchesOf = ({ vectorStores }: ServiceClient) => vectorStores.fileBatches;

const SURFACES: Readonly<Record<string, (client: ServiceClient) => object>> = {
  chat: ({ chat }) => chat.completions,
  responses: ({ responses }) => responses,
  messages: ({ messages }) => messages,
};

/** Every method. */
export const METHODS: Readonly<Record<string, Method>> = {
  ...Object.fromEntries(
    Object.entries(SURFACES).flatMap(([name, surfaceOf]) => [
      [`${name}.create`, whole(surfaceOf, "create")],
      [`${name}.run`, whole(surfaceOf, "run")],
      [`${name}.stream`, streamed(surfaceOf, "stream")],
      [`${name}.runStream`, streamed(surfaceOf, "runStream")],
    ]),
  ),
  "embeddings.create": whole(({ embeddings }) => embeddings, "create"),
  "images.generate": whole(({ images }) => images, "generate"),
  "images.edit": whole(({ images }) => images, "edit"),
  "models.list": catalog(({ models }) => models, "list"),
  "models.meta": catalog(({ models }) => models, "meta"),
  "pricing.retrieve": catalog(({ pricing }) => pricing, "retrieve"),
  "key.retrieve": catalog(({ key }) => key, "retrieve"),
  "key.signInLink": catalog(({ key }) => key, "signInLink"),
  "usage.retrieve": whole(({ usage }) => usage, "retrieve"),
  "requests.list": whole(({ requests }) => requests, "list"),
  "requests.retrieve": async ({ client, request, options }) =>
    await invoke(client.requests, "retrieve", request["id"], options),
  "feedback": whole((client) => client, "feedback"),
  "files.create": upload(false),
  "files.create, opened": upload(true),
  "files.list": stored(({ files }) => files, "list", "with"),
  "files.retrieve": stored(({ files }) => files, "retrieve", "id"),
  "files.content": async ({ client, request, options }) => {
    const content = await client.files.content(String(request["id"]), options);
    return { text: await content.text(), requestId: content.requestId };
  },
  "files.delete": stored(({ files }) => files, "delete", "id"),
  "vectorStores.create": stored(storesOf, "create", "with"),
  "vectorStores.list": stored(storesOf, "list", "with"),
  "vectorStores.retrieve": stored(storesOf, "retrieve", "id"),
  "vectorStores.update": stored(storesOf, "update", "id", "with"),
  "vectorStores.delete": stored(storesOf, "delete", "id"),
  "vectorStores.search": stored(storesOf, "search", "id", "with"),
  "vectorStores.files.create": stored(storeFilesOf, "create", "storeId", "with"),
  "vectorStores.files.list": stored(storeFilesOf, "list", "storeId", "with"),
  "vectorStores.files.retrieve": stored(storeFilesOf, "retrieve", "id", "of"),
  "vectorStores.files.update": stored(storeFilesOf, "update", "id", "of"),
  "vectorStores.files.content": stored(storeFilesOf, "content", "id", "of"),
  "vectorStores.files.delete": stored(storeFilesOf, "delete", "id", "of"),
  "vectorStores.fileBatches.create": stored(fileBatchesOf, "create", "storeId", "with"),
  "vectorStores.fileBatches.retrieve": stored(fileBatchesOf, "retrieve", "id", "of"),
  "vectorStores.fileBatches.cancel": stored(fileBatchesOf, "cancel", "id", "of"),
  "vectorStores.fileBatches.listFiles": stored(fileBatchesOf, "listFiles", "id", "of"),
};

/** True for a method whose request asks for a stream. */
export function isStreaming(method: string): boolean {
  return /\.(stream|runStream)$/.test(method);
}
