/**
 * Divides the test files of the repository into bundles. Files of one bundle are loaded by one
 * process, one after another, so that what they import is loaded once.
 *
 * @module
 */

import { relative } from "@std/path";

/** Test files that one process loads. */
export interface Bundle {
  readonly name: string;
  /** Paths from the repository's folder. */
  readonly files: readonly string[];
}

/** Files that take longest. They begin first, each in its own process. */
export const LONGEST: readonly string[] = [
  "tests/console/base_test.ts",
  "tests/integration/hostile_names_test.ts",
  "gateway/backup/backup_test.ts",
  "tests/integration/prompt_bombs_test.ts",
  "tests/sandbox/races_test.ts",
  "tests/integration/planted/operators_test.ts",
  "tests/integration/faults/matrix_test.ts",
];
/** Folders whose tests take longest after these. The end of a run is then not one long bundle. */
const LONG_FOLDERS: readonly string[] = [
  "tests/console",
  "tests/integration/backup",
  "tests/integration/faults",
  "tests/kills",
  "tests/sandbox",
];
/** Files of a bundle share one browser; a bundle takes about a minute. */
const BROWSER_FILES_PER_BUNDLE = 3;
/** Integration tests start services: about ten seconds of work. */
const FILES_PER_BUNDLE = 6;
/** Unit tests take little longer than what they import. */
const UNIT_FILES_PER_BUNDLE = 50;
const COVERED =
  /^tests\/(architecture|contract|integration\/(orchestration|responses|settlement_table|key_holder))\//;
const SKIPPED = new Set([".git", "coverage", "data", "dist", "node_modules"]);

/** Paths of all test files below a folder, sorted. */
export async function testFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      if (isDirectory && !SKIPPED.has(name)) await visit(path);
      else if (/_test\.tsx?$/.test(name)) files.push(relative(root, path));
    }
  };
  await visit(root);
  return files.sort();
}

/** True for tests beside the code that they test. */
export function isUnitTest(file: string): boolean {
  return !file.startsWith("tests/");
}

/**
 * True for tests that coverage is collected from: those beside the code, those of the stores, and
 * those of the service that run every path of a request. With the other tests it would change little
 * and cost minutes: each thread that a test starts takes a second longer.
 */
export function isCovered(file: string): boolean {
  return isUnitTest(file) ? !file.startsWith("gateway/vector_stores/") : COVERED.test(file);
}

/** Divides files into bundles, in the order in which they should begin. */
export function bundlesOf(files: readonly string[]): Bundle[] {
  const long = LONGEST.filter((file) => files.includes(file));
  const folders = new Map<string, string[]>();
  for (const file of files) {
    if (long.includes(file)) continue;
    const folder = folderOf(file);
    folders.set(folder, [...folders.get(folder) ?? [], file]);
  }
  const sorted = [...folders].sort(([a], [b]) => rankOf(a) - rankOf(b));
  const bundles = sorted.flatMap(([folder, files]) => divide(folder, files));
  return [
    ...long.map((file) => ({ name: file, files: [file] })),
    ...bundles.filter(({ files }) => !files.every(isUnitTest)),
    ...bundles.filter(({ files }) => files.every(isUnitTest)),
  ];
}

/** Place of a folder: the long ones by their list, the others after them in their order. */
function rankOf(folder: string): number {
  const rank = LONG_FOLDERS.indexOf(folder);
  return rank < 0 ? LONG_FOLDERS.length : rank;
}

/** The component of a file, such as `gateway/domain` or `tests/integration/responses`. */
function folderOf(file: string): string {
  const [top = "", ...folders] = file.split("/").slice(0, -1);
  if (top === "tests") return [top, ...folders.slice(0, 2)].join("/");
  return top === "gateway" ? [top, ...folders.slice(0, 1)].join("/") : top;
}

function divide(folder: string, files: readonly string[]): Bundle[] {
  const size = folder === "tests/console"
    ? BROWSER_FILES_PER_BUNDLE
    : folder.startsWith("tests/")
    ? FILES_PER_BUNDLE
    : UNIT_FILES_PER_BUNDLE;
  const count = Math.ceil(files.length / size);
  const perBundle = Math.ceil(files.length / count);
  return Array.from({ length: count }, (_, index) => {
    const part = files.slice(index * perBundle, (index + 1) * perBundle);
    const [first = folder] = part;
    if (part.length === 1) return { name: first, files: part };
    return { name: count === 1 ? folder : `${folder} ${index + 1}/${count}`, files: part };
  });
}

/** Text of a module that loads the files of a bundle. */
export function moduleOf({ files }: Bundle, root: string): string {
  return files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};\n`).join("");
}
