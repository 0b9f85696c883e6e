import { isJsonObject } from "@svc/tools/json";
import type { CallLimit } from "../call_limit.ts";
import { ServiceTimeoutError } from "../errors.ts";
import { readBytes } from "../read_bytes.ts";
import type { Refusal } from "./refusal.ts";

/** A JSON object that the browser sent. */
export type ProxyBody = Record<string, unknown>;

const ACCEPTED_ID = /^[\x21-\x7E]{1,128}$/;

/** Returns the browser's request id when it is a valid one. */
export function sentId({ headers }: Request): string | undefined {
  const id = headers.get("x-request-id");
  return id !== null && ACCEPTED_ID.test(id) ? id : undefined;
}

/** Returns the refusal of a request by its method and headers; `undefined` to continue. */
export function headRefusal(request: Request): Refusal | undefined {
  const { headers, method } = request;
  if (method !== "POST") return { code: "method_not_allowed", headers: { allow: "POST" } };
  if (!/^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? "")) {
    return { code: "unsupported_media_type" };
  }
  const coding = headers.get("content-encoding") ?? "identity";
  if (coding.trim().toLowerCase() !== "identity") {
    return { code: "unsupported_media_type", message: "Send the body uncompressed" };
  }
  if (!headers.has("x-request-id") || sentId(request) !== undefined) return undefined;
  return {
    code: "invalid_request",
    message: "Send an X-Request-ID of 1 to 128 visible ASCII characters, or none",
    param: "X-Request-ID",
  };
}

/** Returns the body as received, or the refusal in its place. */
export async function bodyOf(
  { body, headers }: Request,
  { limit, maxBytes }: { readonly limit: CallLimit; readonly maxBytes: number },
): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  const tooLarge: Refusal = {
    code: "body_too_large",
    message: `The request body is larger than ${maxBytes} bytes`,
  };
  if (Number(headers.get("content-length")) > maxBytes) {
    await body?.cancel();
    return tooLarge;
  }
  try {
    return await readBytes(body, { maxBytes, signal: limit.signal }) ?? tooLarge;
  } catch (error) {
    const isLate = limit.explain(error) instanceof ServiceTimeoutError;
    const message = isLate ? "The body did not arrive in time" : "The body could not be read";
    return { code: "invalid_request", message };
  }
}

/** Returns the JSON object of a body; `undefined` when it is none. */
export function objectIn(bytes: Uint8Array): ProxyBody | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Neither UTF-8 nor JSON.
    return undefined;
  }
}
