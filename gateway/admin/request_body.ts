import { z } from "zod";
import { ServiceFault } from "../domain/fault.ts";
import type { AdminContext } from "./deps.ts";
import { suggestion } from "./suggestion.ts";

/** Longest body that the operator's API reads, in bytes. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** An object schema that refuses unknown fields and says which known one is near. */
export function strict<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const [field = ""] = issue.keys;
      return `Unknown field "${field}"${suggestion(field, Object.keys(shape))}`;
    },
  });
}

/** Checks a value; throws `invalid_request` with the path of the first fault in it. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.code === "unrecognized_keys"
    ? [...issue.path, ...issue.keys.slice(0, 1)]
    : issue?.path ?? [];
  const param = path.join(".");
  const complaint = issue?.message ?? "Not valid";
  const message = param === "" ? complaint : `Cannot accept "${param}": ${complaint}`;
  throw new ServiceFault("invalid_request", { message, param: param === "" ? undefined : param });
}

/** Reads a JSON body and checks it. */
export async function readBody<Schema extends z.ZodType>(
  context: AdminContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new ServiceFault("unsupported_media_type");
  const text = await readText(context.req.raw);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceFault("invalid_request", { message: "The body is not JSON", cause });
  }
  return checked(schema, value);
}

/** The body as text; 413 as soon as it is known to be too long, whatever its length header says. */
async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  let text = "";
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > BODY_LIMIT_BYTES) throw tooLarge();
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    if (cause instanceof ServiceFault) throw cause;
    throw new ServiceFault("invalid_request", { message: "The body is not UTF-8 text", cause });
  }
}

function tooLarge(): ServiceFault {
  return new ServiceFault("body_too_large", {
    message: `The body is longer than ${BODY_LIMIT_BYTES} bytes`,
  });
}
