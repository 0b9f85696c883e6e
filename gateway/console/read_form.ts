import { ServiceFault } from "../domain/fault.ts";
import { readBytes } from "../http/read_bytes.ts";

/** Longest form that is read, in bytes; as long as what the operator's API reads. */
const FORM_LIMIT_BYTES = 1024 * 1024;
/** The same for pages that are signed in for: a form takes up to three bytes for one of its text. */
export const PAGE_FORM_LIMIT_BYTES = 3 * FORM_LIMIT_BYTES;

/** Reads a form as browsers send one by default. */
export async function readForm(
  request: Request,
  maxBytes = FORM_LIMIT_BYTES,
): Promise<URLSearchParams> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw new ServiceFault("unsupported_media_type", { message: "Send the form of the page" });
  }
  const bytes = await readBytes(request, { maxBytes });
  return new URLSearchParams(new TextDecoder().decode(bytes));
}
