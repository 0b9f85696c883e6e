/** Vectors of consecutive passages of one file. */
export interface IndexedVectors {
  readonly fileId: string;
  /** Position of the first passage in its file, from 0. */
  readonly index: number;
  /** Number of passages of the file. */
  readonly passages: number;
  /** Embedding space: only vectors of the same space are comparable. */
  readonly space: string;
  readonly dimensions: number;
  /** Vectors of norm 1. */
  readonly values: Float32Array;
}

/** The vector of a query. */
export interface QueryVector {
  readonly space: string;
  /** Vector of norm 1. */
  readonly values: Float32Array;
}

interface FileVectors {
  readonly space: string;
  readonly dimensions: number;
  readonly values: Float32Array;
}

/** The vectors of the files of one vector store, in memory. */
export class VectorIndex {
  readonly #files = new Map<string, FileVectors>();

  /** Adds vectors; the first ones of a file replace its earlier ones. */
  add({ dimensions, fileId, index, passages, space, values }: IndexedVectors): void {
    let file = this.#files.get(fileId);
    if (file === undefined || index === 0) {
      file = { space, dimensions, values: new Float32Array(passages * dimensions) };
      this.#files.set(fileId, file);
    }
    file.values.set(values, index * dimensions);
  }

  /**
   * Returns the cosine of each passage of a file with a query; empty when they are not comparable.
   */
  cosines(fileId: string, query: QueryVector): Float64Array {
    const file = this.#files.get(fileId);
    if (file?.space !== query.space || file.dimensions !== query.values.length) {
      return new Float64Array();
    }
    const { dimensions, values } = file;
    const queryValues = query.values;
    const cosines = new Float64Array(values.length / dimensions);
    for (let passage = 0; passage < cosines.length; passage++) {
      const from = passage * dimensions;
      let sum = 0;
      for (let at = 0; at < dimensions; at++) {
        sum += (values[from + at] ?? 0) * (queryValues[at] ?? 0);
      }
      cosines[passage] = sum;
    }
    return cosines;
  }

  /** Returns the ids of the files that have vectors. */
  files(): Iterable<string> {
    return this.#files.keys();
  }
}
