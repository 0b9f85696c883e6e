/** Vectors of passages of one file, that follow one another. */
export interface IndexedVectors {
  readonly fileId: string;
  /** Place of the first passage in its file, from 0. */
  readonly index: number;
  /** Passages of the file. */
  readonly passages: number;
  /** What they may be compared with. */
  readonly space: string;
  readonly dimensions: number;
  /** Each of the norm 1. */
  readonly values: Float32Array;
}

/** The vector of a query. */
export interface QueryVector {
  readonly space: string;
  /** Of the norm 1. */
  readonly values: Float32Array;
}

interface FileVectors {
  readonly space: string;
  readonly dimensions: number;
  readonly values: Float32Array;
}

/** The vectors of the files of one vector store, in the memory of whoever searches them. */
export class VectorIndex {
  readonly #files = new Map<string, FileVectors>();

  /** Adds vectors; the first ones of a file replace those that it has had. */
  add({ dimensions, fileId, index, passages, space, values }: IndexedVectors): void {
    let file = this.#files.get(fileId);
    if (file === undefined || index === 0) {
      file = { space, dimensions, values: new Float32Array(passages * dimensions) };
      this.#files.set(fileId, file);
    }
    file.values.set(values, index * dimensions);
  }

  /** How alike each passage of a file is to a query: the cosines; none where they cannot be compared. */
  cosines(fileId: string, query: QueryVector): Float64Array {
    const file = this.#files.get(fileId);
    if (file?.space !== query.space || file.dimensions !== query.values.length) {
      return new Float64Array();
    }
    const { dimensions, values } = file;
    const asked = query.values;
    const cosines = new Float64Array(values.length / dimensions);
    for (let passage = 0; passage < cosines.length; passage++) {
      const from = passage * dimensions;
      let sum = 0;
      for (let at = 0; at < dimensions; at++) sum += (values[from + at] ?? 0) * (asked[at] ?? 0);
      cosines[passage] = sum;
    }
    return cosines;
  }

  /** Ids of the files that have vectors. */
  files(): Iterable<string> {
    return this.#files.keys();
  }
}
