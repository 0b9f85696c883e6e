/** A store under test and how to give it back. */
export interface Opened<T> {
  readonly store: T;
  close(): Promise<void>;
}

/** Opens an empty store. */
export type Open<T> = () => Promise<Opened<T>>;

/** Clauses of a contract: a sentence and its proof. */
export type Clauses<T> = Readonly<Record<string, (store: T) => Promise<void>>>;

/** Holds one implementation against every clause, each on an empty store of its own. */
export function runContract<T>(
  name: string,
  options: { open: Open<T>; clauses: Clauses<T> },
): void {
  for (const [clause, prove] of Object.entries(options.clauses)) {
    Deno.test(`${name}: ${clause}`, async () => {
      const { store, close } = await options.open();
      try {
        await prove(store);
      } finally {
        await close();
      }
    });
  }
}
