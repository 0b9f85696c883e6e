import type { z } from "zod";

/** What a handler may answer where its answer is described by a schema; a difference is a type error. */
export type Answer<Schema extends z.ZodType> = Shown<z.output<Schema>>;

type Shown<T> = T extends readonly (infer Element)[] ? readonly Shown<Element>[]
  : T extends object ? { readonly [Name in keyof T]: Shown<T[Name]> }
  : T;
