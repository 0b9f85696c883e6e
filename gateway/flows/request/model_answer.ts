/** The answer of a model endpoint: complete JSON text, or a stream of bytes. */
export type ModelAnswer =
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "stream"; readonly bytes: ReadableStream<Uint8Array> };
