import type { z } from "zod";

/** The value that a schema describes, read only: handlers return it and clients receive it. */
export type Answer<Schema extends z.ZodType> = ReadonlyDeep<z.output<Schema>>;

type ReadonlyDeep<T> = T extends readonly (infer Element)[] ? readonly ReadonlyDeep<Element>[]
  : T extends object ? { readonly [Name in keyof T]: ReadonlyDeep<T[Name]> }
  : T;
