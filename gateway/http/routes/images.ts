import type { Handler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import type { ModelCalls } from "../../flows/model_calls.ts";
import type { SignedLinks } from "../../flows/images/signed_links.ts";
import { checkEditImages } from "../../images/edit_images.ts";
import type { BlobStore } from "../../ports/blob_store.ts";
import { byteRange } from "../byte_range.ts";
import type { EdgeDeps } from "../edge_deps.ts";
import type { PublicEnv } from "../env.ts";
import { readJson } from "../read_json.ts";
import { readImageEdit } from "../read_multipart.ts";
import { imageEditSchema, imageGenerationSchema } from "../schemas/images.ts";
import { validate } from "../validation.ts";
import { modelCall, type ModelEdge, type ModelHandler } from "./model_call.ts";

/** Handles `POST /openai/v1/images/generations`. */
export function generateImages(calls: ModelCalls, edge: ModelEdge): ModelHandler {
  return modelCall({
    endpoint: "images.generations",
    read: readJson,
    check: ({ value }) => void validate(imageGenerationSchema, value),
    call: (incoming) => calls.images("images.generations", incoming),
  }, edge);
}

/** Handles `POST /openai/v1/images/edits`, as JSON or as a form. */
export function editImages(calls: ModelCalls, edge: ModelEdge): ModelHandler {
  return modelCall({
    endpoint: "images.edits",
    read: (request, { hold }) => readImageEdit(request, { hold }),
    check: ({ value }) => checkEditImages(validate(imageEditSchema, value)),
    call: (incoming) => calls.images("images.edits", incoming),
  }, edge);
}

/**
 * Handles `GET /files/{id}`: sends the image of a signed link, or the bytes of it that `Range`
 * requests. The link itself is the permission.
 */
export function getFile(
  { clock }: Pick<EdgeDeps, "clock">,
  files: { readonly blobs: BlobStore; readonly links: Pick<SignedLinks, "verify"> },
): Handler<PublicEnv> {
  return async (c) => {
    const { expires, signature } = c.req.query();
    const id = c.req.param("id") ?? "";
    const isValid = files.links.verify({ id, expires, signature }, clock.nowMs());
    const blob = isValid ? await files.blobs.get(id) : undefined;
    if (blob === undefined) {
      throw new ServiceFault("not_found", {
        message: "There is no such file, or its link has expired",
      });
    }
    const size = blob.bytes.length;
    const headers = {
      "content-type": blob.mediaType,
      "cache-control": "private, max-age=3600",
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
      "x-request-id": c.get("requestId"),
      "accept-ranges": "bytes",
    };
    // An image has no validator that `If-Range` could name, so the whole image is sent.
    const range = c.req.header("if-range") === undefined
      ? byteRange(c.req.header("range"), size)
      : undefined;
    if (range === undefined) return new Response(new Uint8Array(blob.bytes), { headers });
    if (range === "unsatisfiable") {
      const { "content-type": _, ...rest } = headers;
      return new Response(null, {
        status: 416,
        headers: { ...rest, "content-range": `bytes */${size}` },
      });
    }
    const { start, end } = range;
    return new Response(new Uint8Array(blob.bytes.subarray(start, end)), {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${size}` },
    });
  };
}
