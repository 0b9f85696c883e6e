/** The conformance vectors: cases as data, which the client library of every language runs. */

import { assert } from "@std/assert";

/** A member of a case is checked where it is read; the schema beside the files checks the rest. */
export type Fields = Readonly<Record<string, unknown>>;

/** A case: its name, and members that its kind defines. */
export interface VectorCase extends Fields {
  readonly name: string;
}

/** One file. */
export interface VectorFile {
  /** Without folder and extension. */
  readonly name: string;
  /** Selects the runner of the cases. */
  readonly kind: string;
  readonly cases: readonly VectorCase[];
}

const FOLDER = new URL("../../tests/conformance/vectors/", import.meta.url);

/** Returns the files of the client; those of the local tools have names that begin with `tools-`. */
export function vectorFiles(): VectorFile[] {
  return [...Deno.readDirSync(FOLDER)]
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".json") && name !== "schema.json")
    .filter((name) => !name.startsWith("tools-"))
    .sort()
    .map((name) => readVectors(name));
}

function readVectors(name: string): VectorFile {
  const { answers = {}, cases, kind } = JSON.parse(Deno.readTextFileSync(new URL(name, FOLDER)));
  assert(typeof kind === "string" && Array.isArray(cases) && cases.length > 0, name);
  return {
    name: name.replace(".json", ""),
    kind,
    cases: cases.map((one) => one.answers === undefined ? one : withAnswers(one, answers)),
  };
}

/** Returns a case with its answers in place of the names under which the file has them. */
function withAnswers(one: VectorCase, named: Fields): VectorCase {
  const given: readonly unknown[] = Object(one["answers"]);
  const answers = given.map((answer) => {
    if (typeof answer !== "string") return answer;
    assert(Object.hasOwn(named, answer), `${one.name} names no answer: ${answer}`);
    return named[answer];
  });
  return { ...one, answers };
}

/** Returns the value at a JSON pointer (RFC 6901); `undefined` where there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  return names.reduce((at: unknown, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof at === "object" && at !== null && Object.hasOwn(at, key)
      ? Reflect.get(at, key)
      : undefined;
  }, value);
}

/** Returns what JSON keeps of a value. */
export function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
