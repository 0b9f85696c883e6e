/** Media types whose text can be had, by the extensions of their files. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  txt: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  html: "text/html",
  htm: "text/html",
  pdf: "application/pdf",
};

/** The media type that a file's name tells; `undefined` where its extension is not known. */
export function mediaTypeOf(filename: string): string | undefined {
  const extension = /\.([A-Za-z0-9]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : undefined;
}

/** Whether the text of such files can be had. */
export function isReadable(mediaType: string): boolean {
  return Object.values(MEDIA_TYPES).includes(mediaType);
}
