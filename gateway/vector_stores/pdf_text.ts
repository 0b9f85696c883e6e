import { MAX_PDF_PAGES, MAX_TEXT_CHARS } from "./limits.ts";
import { UnreadableFile } from "./unreadable_file.ts";

/** Returns the text layer of a PDF, with a blank line between two pages. Decodes no pictures. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  // Loaded on demand: it takes a tenth of a second and 30 MB.
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, {
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  }).catch((error) => {
    throw explain(error);
  });
  try {
    if (document.numPages > MAX_PDF_PAGES) {
      throw new UnreadableFile(`it has ${document.numPages} pages, more than ${MAX_PDF_PAGES}`);
    }
    const pages: string[] = [];
    let chars = 0;
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number).catch((error) => {
        throw explain(error);
      });
      const { items } = await page.getTextContent();
      const text = items.map((item) => "str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")
        .join("");
      page.cleanup();
      chars += text.length;
      if (chars > MAX_TEXT_CHARS) throw new UnreadableFile("it has too much text");
      pages.push(text);
    }
    return pages.join("\n\n");
  } finally {
    await document.loadingTask.destroy();
  }
}

function explain(error: unknown): UnreadableFile {
  const encrypted = error instanceof Error && error.name === "PasswordException";
  const why = encrypted ? "it is encrypted" : "it is damaged, or no PDF";
  return new UnreadableFile(why, { cause: error });
}
