/**
 * The routes of files of callers: an extension with OpenAI's addresses and shapes. A key finds the
 * files of its wallet; a file of another wallet answers like one that does not exist.
 *
 * @module
 */

import type { Context, Handler, Hono, MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import { type CallerFiles, UPLOAD_MAX_BYTES } from "../../flows/files/caller_files.ts";
import type { CallerFile } from "../../ports/file_store.ts";
import { mediaTypeOf } from "../../vector_stores/media_types.ts";
import type { PublicEnv } from "../env.ts";
import { fileJson, listJson } from "../files_json.ts";
import { PUBLIC_PATHS, routeOf } from "../public_paths.ts";
import { queryOf } from "../query_of.ts";
import { readUpload } from "../read_upload.ts";
import { requireEndpoint } from "../require_endpoint.ts";
import { fileListQuerySchema, uploadFieldsSchema } from "../schemas/files.ts";
import { validate } from "../validation.ts";

/** Dependencies of the routes of files. */
export interface FileRoutes {
  /** Refuses requests without a valid key. */
  readonly keyed: MiddlewareHandler<PublicEnv>;
  /** Refuses requests beyond the key's rate. */
  readonly limited: MiddlewareHandler<PublicEnv>;
  readonly files: CallerFiles;
}

/** Room for the other fields of an upload, in bytes. */
const FORM_BYTES = 64 * 1024;
const MAX_NAME_CHARS = 255;

/** Adds the routes of files to an application. */
export function routeFiles(app: Hono<PublicEnv>, { keyed, limited, files }: FileRoutes): void {
  const file = routeOf(PUBLIC_PATHS.callerFile);
  app.post(PUBLIC_PATHS.callerFiles, keyed, limited, postFile(files));
  app.get(PUBLIC_PATHS.callerFiles, keyed, limited, listFiles(files));
  app.get(file, keyed, limited, getFile(files));
  app.delete(file, keyed, limited, deleteFile(files));
  app.get(routeOf(PUBLIC_PATHS.callerFileContent), keyed, limited, getContent(files));
}

function postFile(files: CallerFiles): Handler<PublicEnv> {
  return async function postFileHandler(c) {
    const key = c.get("key");
    requireEndpoint(key, "responses");
    const draft = await files.begin(key);
    try {
      const form = await readUpload(c.req.raw, {
        maxBytes: UPLOAD_MAX_BYTES + FORM_BYTES,
        onFile: (bytes) => draft.write(bytes),
      });
      const fields = validate(uploadFieldsSchema, Object.fromEntries(form.fields));
      const filename = fileNameOf(form.filename);
      const stored = await draft.finish({
        filename,
        mediaType: mediaTypeOf(filename) ?? "application/octet-stream",
        purpose: fields.purpose,
        expiresAfterSeconds: fields["expires_after[seconds]"],
      });
      return answer(c, fileJson(stored));
    } finally {
      await draft.discard();
    }
  };
}

function listFiles(files: CallerFiles): Handler<PublicEnv> {
  return async function listFilesHandler(c) {
    requireEndpoint(c.get("key"), "responses");
    const { limit, ...range } = validate(fileListQuerySchema, queryOf(c.req));
    const page = await files.page(c.get("key"), { ...range, limit: Number(limit) });
    return answer(c, listJson(page.files.map(fileJson), page.hasMore));
  };
}

function getFile(files: CallerFiles): Handler<PublicEnv> {
  return async function getFileHandler(c) {
    return answer(c, fileJson(await find(c, files)));
  };
}

function deleteFile(files: CallerFiles): Handler<PublicEnv> {
  return async function deleteFileHandler(c) {
    const { id } = await find(c, files);
    if (!await files.delete(c.get("key"), id)) throw noSuchFile();
    return answer(c, { id, object: "file", deleted: true });
  };
}

function getContent(files: CallerFiles): Handler<PublicEnv> {
  return async function getContentHandler(c) {
    const file = await find(c, files);
    return new Response(ReadableStream.from(files.content(file)), {
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(file.bytes),
        "content-disposition": "attachment",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
        "x-request-id": c.get("requestId"),
      },
    });
  };
}

async function find(c: Context<PublicEnv>, files: CallerFiles): Promise<CallerFile> {
  requireEndpoint(c.get("key"), "responses");
  const file = await files.get(c.get("key"), c.req.param("id") ?? "");
  if (file === undefined) throw noSuchFile();
  return file;
}

/** Returns the last part of a file's name, which some clients send with its folders. */
function fileNameOf(sent: string | undefined): string {
  if (sent === undefined) {
    throw new ServiceFault("invalid_request", {
      message: 'Send the file as "file", with its name',
      param: "file",
    });
  }
  const name = sent.split(/[\\/]/).at(-1)?.toWellFormed() ?? "";
  const isName = name !== "" && name.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(name);
  if (isName) return name;
  throw new ServiceFault("invalid_request", {
    message: `The file's name must have 1 to ${MAX_NAME_CHARS} characters, none of control`,
    param: "file",
  });
}

function noSuchFile(): ServiceFault {
  return new ServiceFault("not_found", {
    message: "There is no such file: it never existed, has expired or was deleted",
    param: "file_id",
  });
}

/** Returns an answer that no cache keeps. */
export function answer(c: Context<PublicEnv>, value: object): Response {
  return Response.json(value, {
    headers: { "cache-control": "private, no-store", "x-request-id": c.get("requestId") },
  });
}
