import { explaining } from "./sandbox/faults.ts";
import type { OpenFile } from "./sandbox/open_file.ts";
import { textOf } from "./sandbox/text.ts";
import { quoted, Workspace, type WorkspaceOptions } from "./sandbox/workspace.ts";
import { type Tool, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const MAX_CHARS = 50_000;
/** How far into a file lines are counted. */
const MAX_SCAN_BYTES = 64 * 1024 * 1024;

const DESCRIPTION =
  `Reads a text file of the workspace, whole or by lines. Returns at most ${MAX_CHARS} characters; ` +
  "when `truncated` is true, call it again with `start_line` set to `next_line`. " +
  "The content is exact, without line numbers. Binary files are refused.";

/** What `file_read` returns to the model. */
export interface FileReadResult {
  /** Where the file is, from the workspace on, all links resolved. */
  readonly path: string;
  /** The lines, exactly as they are in the file. */
  readonly content: string;
  /** The number of the first line in `content`, from 1 on. */
  readonly start_line: number;
  /** Whether there was more to return. */
  readonly truncated: boolean;
  /** Where to go on. */
  readonly next_line?: number;
  /** Lines of the file, where it was read to its end. */
  readonly total_lines?: number;
  /** Bytes of the file. */
  readonly size_bytes: number;
}

/**
 * The tool `file_read`: a text file of the workspace, whole or by lines.
 *
 * Deno permissions: `--allow-read`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { fileRead } from "@svc/tools";
 *
 * const tool = fileRead({ workspace: "./project" });
 * ```
 */
export function fileRead(options: WorkspaceOptions = {}): Tool {
  const workspace = new Workspace(options);
  return tool({
    name: "file_read",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The file, relative to the workspace, such as src/main.ts",
        },
        start_line: {
          type: "integer",
          minimum: 1,
          description: "First line to return, from 1 on; left out: the first",
        },
        end_line: {
          type: "integer",
          minimum: 1,
          description: "Last line to return, included; left out: the last",
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    async execute({ path, start_line = 1, end_line = Infinity }, { signal }) {
      if (end_line < start_line) {
        throw new ToolError(`Cannot read lines ${start_line} to ${end_line}: the end comes first`, {
          code: "invalid_range",
        });
      }
      const range = { start: start_line, end: end_line, signal };
      return await explaining(`read ${quoted(path)}`, async (): Promise<FileReadResult> => {
        const place = await workspace.locate(path);
        await workspace.refuseDenied(path, place);
        return await workspace.withFile(
          place,
          async (file) => ({ path: place.path, ...await readLines(file, range) }),
        );
      });
    },
  });
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly signal: AbortSignal;
}

async function readLines(
  { handle, stats }: OpenFile,
  { start, end, signal }: Range,
): Promise<Omit<FileReadResult, "path">> {
  let line = 1;
  let content = "";
  let isAtLineStart = true;
  reading: for await (const text of textOf(handle, MAX_SCAN_BYTES)) {
    signal.throwIfAborted();
    for (let from = 0; from < text.length;) {
      if (line > end || content.length > MAX_CHARS) break reading;
      const newline = text.indexOf("\n", from);
      const to = newline === -1 ? text.length : newline + 1;
      if (line >= start) content += text.slice(from, Math.min(to, from + MAX_CHARS + 1));
      isAtLineStart = newline !== -1;
      if (isAtLineStart) line++;
      from = to;
    }
  }
  const size_bytes = Number(stats.size);
  const base = { start_line: start, size_bytes };
  if (content.length > MAX_CHARS) return { ...base, ...cut(content, start) };
  if (line > end) return { ...base, content, truncated: false };
  if (size_bytes > MAX_SCAN_BYTES) throw tooFar(size_bytes);
  return { ...base, content, truncated: false, total_lines: isAtLineStart ? line - 1 : line };
}

/** Cut after the last whole line, or inside the only one. */
function cut(
  content: string,
  start: number,
): Pick<FileReadResult, "content" | "truncated" | "next_line"> {
  const end = content.lastIndexOf("\n", MAX_CHARS - 1) + 1;
  const kept = end === 0 ? content.slice(0, MAX_CHARS).toWellFormed() : content.slice(0, end);
  const next_line = start + (end === 0 ? 1 : kept.split("\n").length - 1);
  return { content: kept, truncated: true, next_line };
}

function tooFar(sizeBytes: number): ToolError {
  return new ToolError(
    `The file has ${sizeBytes} bytes; only the lines in its first ${MAX_SCAN_BYTES} can be read`,
    { code: "file_too_large" },
  );
}
