/**
 * Reads sets of public questions with the outcomes of real models: gzipped JSON lines, of which the
 * first is a header and each further one a question.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";

/** One question with the outcome of every model, in the order of the set's models. */
export interface Question {
  /** The prompt. */
  readonly q: string;
  /** The task that it belongs to. */
  readonly cat: string;
  /** 1 where the answer was right, 0 where it was wrong, or a score between them. */
  readonly y: readonly number[];
  /** Cost in micro-USD. */
  readonly c: readonly number[];
  /** Hash of the normalised answer: equal answers have equal hashes. */
  readonly a?: readonly string[] | undefined;
}

/** One set of questions. */
export interface QuestionSet {
  readonly name: string;
  readonly models: readonly string[];
  /** Quality of each model for the catalog, 0 to 1. */
  readonly quality?: readonly number[] | undefined;
  /** The weaker and the stronger model of APGR. */
  readonly pair?: readonly [string, string] | undefined;
  readonly questions: readonly Question[];
}

/** A file that is not a set of questions; the message names file and line. */
export class DataError extends Error {
  override name = "DataError";
}

const SUFFIX = ".jsonl.gz";

/** Returns the paths of the sets in a folder, in the order of their names; none if it is absent. */
export async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (isFile && name.endsWith(SUFFIX)) files.push(`${folder}/${name}`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

/**
 * Reads one set.
 *
 * @throws {DataError} If the file is not gzip, or a line is malformed.
 */
export async function readSet(path: string): Promise<QuestionSet> {
  const file = await Deno.open(path);
  let text: string;
  try {
    const stream = file.readable.pipeThrough(new DecompressionStream("gzip"));
    text = await new Response(stream).text();
  } catch (error) {
    throw new DataError(`${path}: is not a complete gzip file (${String(error)})`);
  }
  return parseSet(text, path);
}

/**
 * Parses the text of one set.
 *
 * @throws {DataError} If a line is malformed.
 */
export function parseSet(text: string, path: string): QuestionSet {
  const lines = text.split("\n");
  while (lines.at(-1)?.trim() === "") lines.pop();
  const parsed = lines.map((line, at) => parseLine(line, { path, line: at + 1 }));
  const [first, ...rest] = parsed;
  if (first === undefined) throw new DataError(`${path}: has no header`);
  const header = headerOf(first, { path, line: 1 });
  const questions = rest.map((value, at) =>
    questionOf(value, header.models.length, { path, line: at + 2 })
  );
  if (questions.length < 4) throw new DataError(`${path}: has fewer than 4 questions`);
  return { ...header, questions };
}

interface Place {
  readonly path: string;
  readonly line: number;
}

type Fields = Readonly<Record<string, unknown>>;

function refuse({ path, line }: Place, reason: string): never {
  throw new DataError(`${path}:${line}: ${reason}`);
}

function parseLine(line: string, place: Place): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    refuse(place, `is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (!isJsonObject(value)) refuse(place, "is not an object");
  return value;
}

function headerOf(value: Fields, place: Place): Omit<QuestionSet, "questions"> {
  const { name, models, quality, pair } = value;
  if (typeof name !== "string" || name === "") refuse(place, '"name" is not a text');
  if (!isList(models, isText) || models.length < 2 || new Set(models).size < models.length) {
    refuse(place, '"models" is not a list of at least two different names');
  }
  const header = { name, models };
  if (quality !== undefined && !(isList(quality, isScore) && quality.length === models.length)) {
    refuse(place, `"quality" is not a list of ${models.length} numbers from 0 to 1`);
  }
  if (pair !== undefined && !(isList(pair, isText) && pair.every((id) => models.includes(id)))) {
    refuse(place, '"pair" does not name two of the models');
  }
  const [weak, strong] = pair ?? [];
  return {
    ...header,
    quality,
    pair: weak === undefined || strong === undefined ? undefined : [weak, strong],
  };
}

function questionOf(value: Fields, models: number, place: Place): Question {
  const { q, cat, y, c, a } = value;
  if (typeof q !== "string") refuse(place, '"q" is not a text');
  if (typeof cat !== "string") refuse(place, '"cat" is not a text');
  if (!isList(y, isScore) || y.length !== models) {
    refuse(place, `"y" is not a list of ${models} numbers from 0 to 1`);
  }
  if (!isList(c, isCost) || c.length !== models) {
    refuse(place, `"c" is not a list of ${models} costs`);
  }
  if (a !== undefined && !(isList(a, isText) && a.length === models)) {
    refuse(place, `"a" is not a list of ${models} texts`);
  }
  return { q, cat, y, c, a };
}

function isList<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isScore(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function isCost(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

/** Returns the set with at most so many questions, drawn with a random order. */
export function limitSet(set: QuestionSet, order: readonly number[], most: number): QuestionSet {
  if (set.questions.length <= most) return set;
  const chosen = new Set(order.slice(0, most));
  return { ...set, questions: set.questions.filter((_, at) => chosen.has(at)) };
}

/** Returns the set with only these models. */
export function withModels(set: QuestionSet, models: readonly string[]): QuestionSet {
  const columns = models.map((model) => set.models.indexOf(model));
  const pick = <T>(values: readonly T[]): T[] => columns.flatMap((at) => values.slice(at, at + 1));
  return {
    ...set,
    models,
    quality: set.quality === undefined ? undefined : pick(set.quality),
    questions: set.questions.map((question) => ({
      ...question,
      y: pick(question.y),
      c: pick(question.c),
      a: question.a === undefined ? undefined : pick(question.a),
    })),
  };
}

/** Returns the sets that compare the same models as one, where there are several. */
export function pooled(sets: readonly QuestionSet[]): QuestionSet[] {
  const groups = [...Map.groupBy(sets, ({ models }) => models.join("\n")).values()];
  return groups.filter(({ length }) => length > 1).map((group) => ({
    name: group.map(({ name }) => name).join("+"),
    models: group[0]?.models ?? [],
    quality: group[0]?.quality,
    pair: group[0]?.pair,
    questions: group.flatMap(({ questions }) => questions),
  }));
}
