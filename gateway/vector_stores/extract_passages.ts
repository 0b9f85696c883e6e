import { htmlText } from "./html_text.ts";
import { MAX_PASSAGES, MAX_TEXT_CHARS } from "./limits.ts";
import { pdfText } from "./pdf_text.ts";
import { splitPassages } from "./split_passages.ts";
import { UnreadableFile } from "./unreadable_file.ts";

/** The passages of a file, or why its text is unreadable, as the end of a sentence. */
export type ExtractionResult =
  | { readonly ok: true; readonly passages: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Extracts the text of a file and splits it. May take long and much memory: run it in a thread. */
export async function extractPassages(file: {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}): Promise<ExtractionResult> {
  try {
    const text = readable(await textOf(file));
    const passages = splitPassages(text);
    if (passages.length === 0) throw new UnreadableFile("it has no text");
    if (passages.length > MAX_PASSAGES) throw new UnreadableFile("it has too much text");
    return { ok: true, passages };
  } catch (error) {
    if (error instanceof UnreadableFile) return { ok: false, problem: error.message };
    throw error;
  }
}

async function textOf({ mediaType, bytes }: { mediaType: string; bytes: Uint8Array }) {
  if (mediaType === "application/pdf") return await pdfText(bytes);
  const text = decode(bytes);
  if (text.length > MAX_TEXT_CHARS) throw new UnreadableFile("it has too much text");
  return mediaType === "text/html" ? htmlText(text) : text;
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const mark = first === 0xff && second === 0xfe
    ? "utf-16le"
    : first === 0xfe && second === 0xff
    ? "utf-16be"
    : "utf-8";
  try {
    return new TextDecoder(mark, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableFile("it is not UTF-8 text; save it as UTF-8", { cause });
  }
}

/** Normalises line ends and removes control characters and lone surrogates. */
function readable(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
}
