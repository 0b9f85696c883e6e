import { explaining } from "../sandbox/faults.ts";
import type { OpenFile } from "../sandbox/open_file.ts";
import { textOf } from "../sandbox/text.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";
import { ToolError } from "../tool.ts";

/** Result of `file_read` for the model. */
export interface FileReadResult {
  /** Path of the file from the workspace on, with all links resolved. */
  readonly path: string;
  /** The lines, exactly as they are in the file. */
  readonly content: string;
  /** Number of the first line in `content`, from 1. */
  readonly start_line: number;
  /** True when the range has more lines than were returned. */
  readonly truncated: boolean;
  /** Line to continue from. */
  readonly next_line?: number;
  /** Number of lines in the file, when it was read to its end. */
  readonly total_lines?: number;
  /** Size of the file in bytes. */
  readonly size_bytes: number;
}

/** Largest part of a file whose lines are counted, in bytes. */
const MAX_SCAN_BYTES = 64 * 1024 * 1024;

/** A range of lines in a file. */
export interface LineRange {
  /** The file. */
  readonly path: string;
  /** The first line, from 1. */
  readonly start: number;
  /** The last line, included. */
  readonly end: number;
  /** Largest number of characters to return. */
  readonly maxChars: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** Reads lines of a file in a workspace. */
export async function readRange(workspace: Workspace, range: LineRange): Promise<FileReadResult> {
  const { path } = range;
  return await explaining({ what: `read ${quoted(path)}`, workspace }, async () => {
    const target = await workspace.locate(path);
    await workspace.refuseDenied(path, target);
    return await workspace.withFile(
      target,
      async (file) => ({ path: target.path, ...await readLines(file, range) }),
    );
  });
}

async function readLines(
  file: OpenFile,
  { start, end, maxChars, signal }: LineRange,
): Promise<Omit<FileReadResult, "path">> {
  let line = 1;
  let content = "";
  let isAtLineStart = true;
  reading: for await (const text of textOf(file, MAX_SCAN_BYTES)) {
    signal.throwIfAborted();
    for (let from = 0; from < text.length;) {
      if (line > end || content.length > maxChars) break reading;
      const newline = text.indexOf("\n", from);
      const to = newline === -1 ? text.length : newline + 1;
      if (line >= start) content += text.slice(from, Math.min(to, from + maxChars + 1));
      isAtLineStart = newline !== -1;
      if (isAtLineStart) line++;
      from = to;
    }
  }
  const size_bytes = Number(file.stats.size);
  const base = { start_line: start, size_bytes };
  if (content.length > maxChars) return { ...base, ...cut(content, { start, maxChars }) };
  if (line > end) return { ...base, content, truncated: false };
  if (size_bytes > MAX_SCAN_BYTES) throw tooFar(size_bytes);
  return { ...base, content, truncated: false, total_lines: isAtLineStart ? line - 1 : line };
}

/** Returns the position to cut at: after the last whole line, or inside the only one. */
function cut(
  content: string,
  { start, maxChars }: Pick<LineRange, "start" | "maxChars">,
): Pick<FileReadResult, "content" | "truncated" | "next_line"> {
  const end = content.lastIndexOf("\n", maxChars - 1) + 1;
  const part = end === 0 ? content.slice(0, maxChars).toWellFormed() : content.slice(0, end);
  const next_line = start + (end === 0 ? 1 : part.split("\n").length - 1);
  return { content: part, truncated: true, next_line };
}

function tooFar(sizeBytes: number): ToolError {
  return new ToolError(
    `The file has ${sizeBytes} bytes; only the lines in its first ${MAX_SCAN_BYTES} can be read`,
    { code: "file_too_large" },
  );
}
