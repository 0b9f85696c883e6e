/** Media types whose text can be extracted, by file extension. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  txt: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  html: "text/html",
  htm: "text/html",
  pdf: "application/pdf",
};

/** Returns the media type of a file name; `undefined` for an unknown extension. */
export function mediaTypeOf(filename: string): string | undefined {
  const extension = /\.([A-Za-z0-9]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : undefined;
}

/** True when the text of such files can be extracted. */
export function isReadable(mediaType: string): boolean {
  return Object.values(MEDIA_TYPES).includes(mediaType);
}
