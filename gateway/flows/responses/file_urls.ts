/**
 * Files that a request names by address, fetched for models whose upstream takes no addresses.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ServiceFault } from "../../domain/fault.ts";
import { type FetchFile, isUnreadable } from "../../ports/fetch_image.ts";
import type { JsonBody } from "../../ports/upstream.ts";

/** Maximum files of a request that are fetched. */
export const FETCHED_FILES_MAX = 8;
/** Maximum size of these files together, in bytes: the maximum size of a request body. */
export const FETCHED_BYTES_MAX = 32 * 1024 * 1024;

/** Replaces addresses by fetched files in the items of a request, one after the other. */
export class FileUrls {
  readonly #fetchFile: FetchFile;
  readonly #signal: AbortSignal;
  #files = 0;
  #bytes = 0;

  /** `signal` is aborted when the answer is no longer needed. */
  constructor(fetchFile: FetchFile, signal: AbortSignal) {
    this.#fetchFile = fetchFile;
    this.#signal = signal;
  }

  /**
   * Returns an item with its files in it; the same item if it names none. `path` is the position in
   * the request. Throws a {@linkcode ServiceFault} that names a file which cannot be fetched.
   */
  async fill(item: JsonBody, path: string): Promise<JsonBody> {
    const filled: Record<string, unknown> = {};
    for (const name of ["content", "output"]) {
      const parts = item.value[name];
      if (!Array.isArray(parts) || !parts.some(pointsToFile)) continue;
      const whole: unknown[] = [];
      for (const [at, part] of parts.entries()) {
        whole.push(pointsToFile(part) ? await this.#fetched(part, `${path}.${name}.${at}`) : part);
      }
      filled[name] = whole;
    }
    if (Object.keys(filled).length === 0) return item;
    const value = { ...item.value, ...filled };
    return { text: JSON.stringify(value), value };
  }

  async #fetched({ file_url: url, ...part }: FilePart, path: string): Promise<unknown> {
    const refused = (problem: string) =>
      new ServiceFault("invalid_request", {
        message: `Cannot accept "${path}.file_url": ${problem}`,
        param: `${path}.file_url`,
      });
    if (++this.#files > FETCHED_FILES_MAX) {
      throw refused(`at most ${FETCHED_FILES_MAX} files are fetched for a request`);
    }
    const file = await this.#fetchFile(url, this.#signal);
    if (isUnreadable(file)) throw refused(file.problem);
    this.#bytes += file.bytes.length;
    if (this.#bytes > FETCHED_BYTES_MAX) {
      throw refused(`the files come to more than ${FETCHED_BYTES_MAX} bytes together`);
    }
    const base64 = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length)
      .toString("base64");
    return {
      ...part,
      filename: part.filename ?? fileName(url),
      file_data: `data:${file.mediaType};base64,${base64}`,
    };
  }
}

/** A part that names a file by address. */
interface FilePart {
  readonly type: "input_file";
  readonly file_url: string;
  readonly filename?: string | null;
}

function pointsToFile(part: unknown): part is FilePart {
  if (typeof part !== "object" || part === null) return false;
  return Reflect.get(part, "type") === "input_file" &&
    typeof Reflect.get(part, "file_url") === "string" &&
    typeof Reflect.get(part, "file_data") !== "string";
}

/** Returns the last segment of an address's path: providers tell the type of a file by its name. */
function fileName(url: string): string {
  const name = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  return name === "" ? "file" : name;
}
