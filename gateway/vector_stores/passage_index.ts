import { components, create, insert, type Orama, search } from "@orama/orama";
import { MAX_QUERY_WORDS } from "./limits.ts";
import { type Stemmer, tokenize } from "./tokenize.ts";
import { type IndexedVectors, type QueryVector, VectorIndex } from "./vector_index.ts";

/** A searchable passage. */
export interface IndexedPassage {
  readonly fileId: string;
  /** Position in its file, from 0. */
  readonly index: number;
  readonly text: string;
}

/** A passage with its score. */
export interface IndexHit {
  readonly fileId: string;
  readonly index: number;
  /** 0 to 1. */
  readonly score: number;
}

/** Options of a search besides the text. */
export interface IndexSearchOptions {
  readonly limit: number;
  /** Only passages of these files. @default {all} */
  readonly fileIds?: ReadonlySet<string> | undefined;
  /** Vector of the query. @default {none: full text alone counts} */
  readonly vector?: QueryVector | undefined;
}

// BM25: saturation of word counts, influence of length, and the weight of one occurrence.
const RELEVANCE = { k: 1.2, b: 0.75, d: 1 };
/** Maximum number of words whose stems are remembered. */
const MAX_KNOWN_WORDS = 100_000;
const SCHEMA = { text: "string" } as const;

/**
 * Index of the passages of one vector store. Full text is ranked by BM25. With a query vector, a
 * passage that has a vector scores the mean of its text score and the cosine of both, at least 0; a
 * passage without one scores by its text alone.
 */
export class PassageIndex {
  readonly #stem: Stemmer;
  readonly #db: Orama<typeof SCHEMA>;
  readonly #vectors = new VectorIndex();
  /** Words of the current query. */
  #query: readonly string[] = [];

  constructor() {
    this.#stem = rememberingStemmer();
    this.#db = create({
      schema: SCHEMA,
      sort: { enabled: false },
      components: {
        index: countingIndex(),
        documentsStore: idsOnly(),
        tokenizer: {
          language: "english",
          normalizationCache: new Map(),
          tokenize: (text: string, _language?: string, property?: string) =>
            property === undefined ? [...this.#query] : this.#words(text),
        },
      },
    });
  }

  /** Adds a passage. */
  async add({ fileId, index, text }: IndexedPassage): Promise<void> {
    await insert(this.#db, { id: `${fileId}/${index}`, text });
  }

  /** Adds vectors of passages. */
  addVectors(vectors: IndexedVectors): void {
    this.#vectors.add(vectors);
  }

  /** Returns the best passages, best first; by full text none when the text has no word. */
  async search(text: string, options: IndexSearchOptions): Promise<readonly IndexHit[]> {
    const { fileIds, limit, vector } = options;
    // Orama knows only the ids of passages that are omitted or equal.
    const isPartial = fileIds !== undefined || vector !== undefined;
    const byWords = await this.#byWords(text, isPartial ? this.#size() : limit);
    const selected = byWords.filter(({ fileId }) => fileIds?.has(fileId) ?? true);
    const hits = vector === undefined ? selected : this.#mixed(selected, { fileIds, vector });
    return hits.slice(0, limit);
  }

  async #byWords(text: string, limit: number): Promise<IndexHit[]> {
    this.#query = [...new Set(this.#words(text))].slice(0, MAX_QUERY_WORDS);
    const best = this.#bestScore();
    if (best === 0) return [];
    const { hits } = await search(this.#db, {
      term: text,
      exact: false,
      relevance: RELEVANCE,
      limit,
    });
    return hits.map(({ id, score }) => {
      const slash = id.lastIndexOf("/");
      const index = Number(id.slice(slash + 1));
      return { fileId: id.slice(0, slash), index, score: Math.min(1, score / best) };
    });
  }

  #mixed(
    byWords: readonly IndexHit[],
    { fileIds, vector }: { fileIds: ReadonlySet<string> | undefined; vector: QueryVector },
  ): IndexHit[] {
    const words = Map.groupBy(byWords, ({ fileId }) => fileId);
    const mixed: IndexHit[] = [];
    for (const fileId of this.#vectors.files()) {
      if (fileIds?.has(fileId) === false) continue;
      const cosines = this.#vectors.cosines(fileId, vector);
      if (cosines.length === 0) continue;
      const scores = new Float64Array(cosines.length);
      for (const { index, score } of words.get(fileId) ?? []) scores[index] = score;
      words.delete(fileId);
      for (const [index, cosine] of cosines.entries()) {
        const score = ((scores[index] ?? 0) + Math.min(1, Math.max(0, cosine))) / 2;
        if (score > 0) mixed.push({ fileId, index, score });
      }
    }
    for (const hits of words.values()) for (const hit of hits) mixed.push(hit);
    return mixed.sort((one, other) => other.score - one.score);
  }

  #size(): number {
    return this.#db.data.docs.count;
  }

  /** Returns the score of a passage of average length that has every word of the query once. */
  #bestScore(): number {
    const count = this.#size();
    const occurrences = this.#db.data.index.tokenOccurrences.text ?? {};
    const { k, d } = RELEVANCE;
    let sum = 0;
    for (const word of count === 0 ? [] : this.#query) {
      const matching = Number(occurrences[word] ?? 0);
      sum += Math.log(1 + (count - matching + 0.5) / (matching + 0.5)) * d / k;
    }
    return sum;
  }

  #words(text: string): string[] {
    return tokenize(text, this.#stem);
  }
}

/** Creates an English stemmer that remembers its results. */
function rememberingStemmer(): Stemmer {
  const stem = components.tokenizer.createTokenizer({ language: "english", stemming: true })
    .stemmer ?? ((word: string) => word);
  const stems = new Map<string, string>();
  return (word) => {
    const former = stems.get(word);
    if (former !== undefined) return former;
    if (stems.size >= MAX_KNOWN_WORDS) stems.clear();
    const stemmed = stem(word);
    stems.set(word, stemmed);
    return stemmed;
  };
}

/** Passages by word: replaces Orama's tree, which also finds prefixes. */
class WordList {
  readonly passages = new Map<string, number[]>();

  find({ term }: { term: string }): Record<string, number[]> {
    const counts = this.passages.get(term);
    return counts === undefined ? bare() : Object.assign(bare<number[]>(), { [term]: counts });
  }
}

/**
 * Returns an object without a prototype: no word collides with a member of every object, such as
 * "constructor".
 */
function bare<T>(): Record<string, T> {
  return Object.create(null);
}

/**
 * Creates an index like Orama's that finds complete words only, by one lookup, and stores the count
 * of a word in a passage only if it exceeds one. (Orama's walks a tree, counts the words of a
 * passage again for each word, and stores a number for each: most of its time and memory.)
 */
function countingIndex() {
  const base = components.index.createIndex();
  const list = new WordList();
  return {
    ...base,
    create: ((...options) => {
      const index = base.create(...options);
      Object.assign(index.indexes.text ?? {}, { node: list });
      index.tokenOccurrences.text = bare();
      return index;
    }) satisfies typeof base.create,
    insert: ((...[, index, property, , id, text, , language, tokenizer, docsCount]) => {
      const tokens = tokenizer.tokenize(String(text), language, property, false);
      base.insertDocumentScoreParameters(index, property, id, tokens, docsCount);
      const more = (index.frequencies[property] ??= {})[id] = bare<number>();
      const occurrences = index.tokenOccurrences[property] ?? bare();
      for (const token of tokens) {
        const passages = list.passages.get(token);
        if (passages?.at(-1) === id) {
          more[token] = (more[token] ?? 0) + 1;
          continue;
        }
        if (passages === undefined) list.passages.set(token, [id]);
        else passages.push(id);
        occurrences[token] = passages?.length ?? 1;
      }
    }) satisfies typeof base.insert,
  };
}

/** Stores only the id of a passage: its text stays in the store. */
function idsOnly() {
  const base = components.documentsStore.createDocumentsStore();
  return {
    ...base,
    store:
      ((store, id, internalId) =>
        base.store(store, id, internalId, { id })) satisfies typeof base.store,
  };
}
