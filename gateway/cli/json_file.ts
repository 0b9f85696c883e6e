import { jsonPlace } from "../config/json_place.ts";
import { CliFailure, type CliIo } from "./io.ts";

/** Reads a JSON file that the operator named. */
export async function readJson(io: CliIo, path: string): Promise<unknown> {
  let text: string;
  try {
    text = await io.readFile(path);
  } catch (cause) {
    throw new CliFailure(`Cannot read "${path}": ${messageOf(cause)}`, { cause });
  }
  try {
    // A byte order mark, as editors of Windows write it, is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const place = jsonPlace(text, cause);
    throw new CliFailure(`Cannot read "${path}": it is not JSON at ${place}`, { cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
