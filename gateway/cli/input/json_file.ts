import { jsonPlace } from "../../config/json_place.ts";
import { fileErrorText } from "../../system/file_error_text.ts";
import type { CliIo } from "../io.ts";
import { CliFailure } from "../failures.ts";

/** Reads a JSON file that the operator named. */
export async function readJson(io: CliIo, path: string): Promise<unknown> {
  let text: string;
  try {
    text = await io.readFile(path);
  } catch (cause) {
    throw new CliFailure(`Cannot read "${path}": ${fileErrorText(cause)}`, { cause });
  }
  try {
    // Editors of Windows write a byte order mark, which is not JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const place = jsonPlace(text, cause);
    throw new CliFailure(`Cannot read "${path}": it is not JSON at ${place}`, { cause });
  }
}
