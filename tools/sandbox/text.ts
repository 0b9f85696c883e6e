import { ToolError } from "../tool.ts";
import type { OpenFile } from "./open_file.ts";

const CHUNK_BYTES = 65_536;

/**
 * Yields the text of an open file, up to `maxBytes`.
 *
 * @throws {ToolError} It is not text: it has a zero byte, or is not UTF-8.
 */
export async function* textOf(
  { handle, stats }: OpenFile,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  // One byte more than the file has, so that one read shows its end.
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, Number(stats.size) + 1));
  for (let position = 0; position < maxBytes;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    position += bytesRead;
    if (bytesRead > 0) yield decode(decoder, chunk.subarray(0, bytesRead));
    // A character that the limit splits is no error of the file; one that its end splits is.
    if (bytesRead < chunk.length) return void decode(decoder);
  }
}

/** Returns the whole text of an open file, up to `maxBytes`. */
export async function readText(file: OpenFile, maxBytes: number): Promise<string> {
  let whole = "";
  for await (const text of textOf(file, maxBytes)) whole += text;
  return whole;
}

/** Decodes the next bytes; without bytes, ends the text. */
function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    if (!bytes?.includes(0)) return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new ToolError("Cannot read it as text: it is a binary file", { code: "binary_file" });
}
