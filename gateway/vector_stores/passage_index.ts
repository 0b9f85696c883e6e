import { components, create, insert, type Orama, search } from "@orama/orama";
import { MAX_QUERY_WORDS } from "./limits.ts";
import { type Stemmer, tokenize } from "./tokenize.ts";
import { type IndexedVectors, type QueryVector, VectorIndex } from "./vector_index.ts";

/** A passage to be found. */
export interface IndexedPassage {
  readonly fileId: string;
  /** Place in its file, from 0. */
  readonly index: number;
  readonly text: string;
}

/** A passage that was found. */
export interface IndexHit {
  readonly fileId: string;
  readonly index: number;
  /** 0 to 1. */
  readonly score: number;
}

/** What a search of an index takes besides the text. */
export interface IndexSearchOptions {
  readonly limit: number;
  /** Only passages of these files. @default {all} */
  readonly fileIds?: ReadonlySet<string> | undefined;
  /** Of the query. @default {none: full text alone counts} */
  readonly vector?: QueryVector | undefined;
}

// BM25: how soon more of a word counts no more, how much length counts, and what one occurrence adds.
const RELEVANCE = { k: 1.2, b: 0.75, d: 1 };
/** Words whose stems are remembered. */
const MAX_KNOWN_WORDS = 100_000;
const SCHEMA = { text: "string" } as const;

/**
 * Index of the passages of one vector store. Full text is ranked by BM25. Where a query has a vector,
 * a passage that has one too scores the mean of its words' score and of the cosine of the two, at
 * least 0; one that has none scores by its words alone.
 */
export class PassageIndex {
  readonly #stem: Stemmer;
  readonly #db: Orama<typeof SCHEMA>;
  readonly #vectors = new VectorIndex();
  /** Words of the query that is being answered. */
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

  /** The best passages, best first; by full text none where the text has no word. */
  async search(text: string, options: IndexSearchOptions): Promise<readonly IndexHit[]> {
    const { fileIds, limit, vector } = options;
    // Of passages that are left out, or alike, nothing is known to Orama but their ids.
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
      const cut = id.lastIndexOf("/");
      const index = Number(id.slice(cut + 1));
      return { fileId: id.slice(0, cut), index, score: Math.min(1, score / best) };
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

  /** What a passage of average length scores that has every word of the query once. */
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

/** An English stemmer that remembers what it has made of the words it has met. */
function rememberingStemmer(): Stemmer {
  const stem = components.tokenizer.createTokenizer({ language: "english", stemming: true })
    .stemmer ?? ((word: string) => word);
  const known = new Map<string, string>();
  return (word) => {
    const former = known.get(word);
    if (former !== undefined) return former;
    if (known.size >= MAX_KNOWN_WORDS) known.clear();
    const stemmed = stem(word);
    known.set(word, stemmed);
    return stemmed;
  };
}

/** Which passages have a word: in place of Orama's tree, which also finds words by their beginnings. */
class WordList {
  readonly passages = new Map<string, number[]>();

  find({ term }: { term: string }): Record<string, number[]> {
    const found = this.passages.get(term);
    return found === undefined ? bare() : Object.assign(bare<number[]>(), { [term]: found });
  }
}

/** Nothing is in it: no word is the name of something that every object has, as "constructor" is. */
function bare<T>(): Record<string, T> {
  return Object.create(null);
}

/**
 * Orama's own index, but that it finds whole words only, by one look, and counts how often a passage
 * has a word where it has it more than once. (Orama's walks a tree and counts the words of a passage
 * anew for each word, and keeps a number for each: most of its time and memory.)
 */
function countingIndex() {
  const base = components.index.createIndex();
  const list = new WordList();
  return {
    ...base,
    create: ((...given) => {
      const index = base.create(...given);
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

/** Keeps of a passage that it is there: its text stays in the store. */
function idsOnly() {
  const base = components.documentsStore.createDocumentsStore();
  return {
    ...base,
    store:
      ((store, id, internalId) =>
        base.store(store, id, internalId, { id })) satisfies typeof base.store,
  };
}
