/**
 * Statements as templates: values are parameters, never a part of the text.
 *
 * @module
 */

/** Rows of an answer, and the number of rows that the statement read or changed. */
export type Rows<T> = T & { readonly count: number };

/** A statement as it is sent. */
export interface Sent {
  readonly text: string;
  readonly values: unknown[];
}

/** A part of a statement, which may be a value of a larger one. */
export class Fragment {
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  /** Returns the text with numbered parameters, behind that of `before`. */
  numbered(before: Sent = { text: "", values: [] }): Sent {
    let sent = before;
    for (const [at, text] of this.#texts.entries()) {
      sent = { ...sent, text: sent.text + text };
      if (at < this.#values.length) sent = withValue(sent, this.#values[at]);
    }
    return sent;
  }
}

function withValue(sent: Sent, value: unknown): Sent {
  if (value instanceof Fragment) return value.numbered(sent);
  if (Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof Fragment)) {
    return value.reduce<Sent>((all, one) => withValue({ ...all, text: `${all.text} ` }, one), sent);
  }
  const values = [...sent.values, value];
  return { text: `${sent.text}$${values.length}`, values };
}

/** A statement that is sent when it is first waited for; as a part of another one it is not. */
export class Statement<T> extends Fragment implements Promise<Rows<T>> {
  readonly [Symbol.toStringTag] = "Statement";
  readonly #send: (sent: Sent) => Promise<Rows<T>>;
  #answer: Promise<Rows<T>> | undefined;

  constructor(
    send: (sent: Sent) => Promise<Rows<T>>,
    { texts, values }: { readonly texts: readonly string[]; readonly values: readonly unknown[] },
  ) {
    super(texts, values);
    this.#send = send;
  }

  then<Done = Rows<T>, Failed = never>(
    onDone?: ((rows: Rows<T>) => Done | PromiseLike<Done>) | null,
    onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    this.#answer ??= this.#send(this.numbered());
    return this.#answer.then(onDone, onFailed);
  }

  catch<Failed = never>(
    onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Rows<T> | Failed> {
    return this.then(undefined, onFailed);
  }

  finally(onEnd?: (() => void) | null): Promise<Rows<T>> {
    return this.then().finally(onEnd);
  }
}

/** A row to write: names of columns, which are a part of the text, and values. */
type Row = Readonly<Record<string, unknown>>;

/** Returns the columns and values of rows that are inserted; at least one row. */
export function rowsOf(rows: readonly Row[]): Fragment {
  const names = Object.keys(rows[0] ?? {});
  const tuples = rows.map((row) => tuple(names.map((name) => row[name])));
  return new Fragment(
    [`(${names.join(", ")}) values `, ...tuples.slice(1).map(() => ", "), ""],
    tuples,
  );
}

function tuple(values: readonly unknown[]): Fragment {
  return new Fragment(["(", ...values.slice(1).map(() => ", "), ")"], values);
}

/** Returns the assignments of an update; at least one column. */
export function assignmentsOf(row: Row): Fragment {
  const names = Object.keys(row);
  const texts = names.map((name, at) => `${at === 0 ? "" : ", "}${name} = `);
  return new Fragment([...texts, ""], Object.values(row));
}
