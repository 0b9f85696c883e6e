import type { CitationSource } from "../../wire/hosted/citations.ts";

/** The sources that the searches of one answer returned, numbered from 1: its text cites them. */
export class Sources {
  readonly #list: CitationSource[] = [];
  readonly #byUrl = new Map<string, number>();

  /** All sources in the order of their numbers. */
  get list(): readonly CitationSource[] {
    return this.#list;
  }

  /** Returns the number of a page; the same page has the same number. */
  addPage(page: { readonly url: string; readonly title: string }): number {
    const known = this.#byUrl.get(page.url);
    if (known !== undefined) return known;
    const number = this.#list.push({ url: page.url, title: page.title });
    this.#byUrl.set(page.url, number);
    return number;
  }

  /** Returns the number of a passage of a file. */
  addPassage(file: { readonly fileId: string; readonly filename: string }): number {
    return this.#list.push({ fileId: file.fileId, filename: file.filename });
  }
}
