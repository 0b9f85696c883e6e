import type { CitationSource } from "../../wire/hosted/citations.ts";

/** What the searches of one answer have found, numbered from 1: what its text cites. */
export class Sources {
  readonly #list: CitationSource[] = [];
  readonly #byUrl = new Map<string, number>();

  /** All of them, in order of their numbers. */
  get list(): readonly CitationSource[] {
    return this.#list;
  }

  /** The number of a page; the same page has the same. */
  addPage(page: { readonly url: string; readonly title: string }): number {
    const known = this.#byUrl.get(page.url);
    if (known !== undefined) return known;
    const number = this.#list.push({ url: page.url, title: page.title });
    this.#byUrl.set(page.url, number);
    return number;
  }

  /** The number of a passage of a file. */
  addPassage(file: { readonly fileId: string; readonly filename: string }): number {
    return this.#list.push({ fileId: file.fileId, filename: file.filename });
  }
}
