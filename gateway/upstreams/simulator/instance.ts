/** An instance of a JSON Schema; `undefined` where the schema has none. */
export type Instance = { readonly value: unknown } | undefined;
