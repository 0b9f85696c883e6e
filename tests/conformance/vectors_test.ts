/** The conformance vectors are what their schema states, and both libraries run every file. */

import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { assert, assertEquals } from "@std/assert";
import { files, read } from "../architecture/source_files.ts";

const FOLDER = "tests/conformance/vectors/";
const SCHEMA = `${FOLDER}schema.json`;
/** Files of the local tools: their tests name each of them. */
const OF_TOOLS = `${FOLDER}tools-`;

const paths = await files();
const vectors = paths.filter((path) =>
  path.startsWith(FOLDER) && path.endsWith(".json") && path !== SCHEMA
);

/** Returns the errors of a file against the schema. */
async function validator(): Promise<(value: unknown) => unknown> {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(await read(SCHEMA)));
  return (value) => validate(value) ? [] : validate.errors;
}

Deno.test("every vector file is as the schema states", async () => {
  const errorsOf = await validator();
  for (const path of vectors.filter((path) => !path.startsWith(OF_TOOLS))) {
    assertEquals(errorsOf(JSON.parse(await read(path))), [], path);
  }
});

Deno.test("the schema refuses an unknown kind, an unknown member and a case without a check", async () => {
  const errorsOf = await validator();
  const about = { $schema: "./schema.json", about: "A" };
  const one = { name: "a", methods: ["chat.create"], answers: [], expect: { requests: 0 } };
  assertEquals(errorsOf({ ...about, kind: "calls", cases: [one] }), []);
  for (
    const other of [
      { kind: "else", cases: [one] },
      { kind: "calls", cases: [] },
      { kind: "calls", cases: [{ ...one, expected: {} }] },
      { kind: "calls", cases: [{ ...one, expect: {} }] },
      { kind: "calls", cases: [{ ...one, methods: ["chat.complete"] }] },
      { kind: "messages-to-chat", cases: [{ name: "a", request: {} }] },
    ]
  ) assert(Array.from(Object(errorsOf({ ...about, ...other }))).length > 0, JSON.stringify(other));
});

/** The code of a library that runs a whole folder, and the code that reads one file by its name. */
interface Reader {
  readonly all: string;
  readonly own: RegExp;
  /** Returns true for a source that reads the file of the local tools with this name. */
  readonly reads: (source: string, name: string) => boolean;
}

const READERS: Readonly<Record<string, Reader>> = {
  "the TypeScript library": {
    all: "sdk/vectors/vectors_test.ts",
    own: /^(?:tools\/.*_test|tests\/sandbox\/.*)\.ts$/,
    reads: (source, name) =>
      source.includes(`tools-${name}.json`) ||
      (source.includes("sharedCases") && source.includes(`("${name}")`)),
  },
  "the Go library": {
    all: "sdk/go/vectors_test.go",
    own: /^sdk\/go\/localtools\/.*_test\.go$/,
    reads: (source, name) => source.includes(`tools-${name}.json`),
  },
};

for (const [library, { all, own, reads }] of Object.entries(READERS)) {
  Deno.test(`${library} reads every vector file`, async () => {
    // It runs every file of the folder, and fails at a kind that it does not know.
    assert(paths.includes(all), `${all} is missing`);
    const sources = await Promise.all(paths.filter((path) => own.test(path)).map(read));
    const names = vectors.filter((path) => path.startsWith(OF_TOOLS))
      .map((path) => path.slice(OF_TOOLS.length).replace(".json", ""));
    const unread = names.filter((name) => !sources.some((source) => reads(source, name)));
    assertEquals(unread, []);
  });
}
