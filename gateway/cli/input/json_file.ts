import { jsonPlace } from "../../config/json_place.ts";
import { fileTrouble } from "../../system/file_trouble.ts";
import type { CliIo } from "../io.ts";
import { CliFailure } from "../failures.ts";

/** Reads a JSON file that the operator named. */
export async function readJson(io: CliIo, path: string): Promise<unknown> {
  let text: string;
  try {
    text = await io.readFile(path);
  } catch (cause) {
    throw new CliFailure(`Cannot read "${path}": ${fileTrouble(cause)}`, { cause });
  }
  try {
    // A byte order mark, as editors of Windows write it, is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const place = jsonPlace(text, cause);
    throw new CliFailure(`Cannot read "${path}": it is not JSON at ${place}`, { cause });
  }
}
