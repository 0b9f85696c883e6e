/** The list of attacks, which the client library of every language withstands. */

import type { Attack, AttackClass, World } from "./attacks.ts";

/** A path, and the expected codes of the tools for it. */
interface Target {
  readonly kind: AttackClass;
  readonly path: string;
  /** Expected codes of file_read, and of the other tools without their own. */
  readonly ends: readonly string[];
  readonly list?: readonly string[];
  readonly write?: readonly string[];
}

interface Cases {
  readonly world: {
    readonly links: Readonly<Record<string, string>>;
    readonly secretFiles: readonly string[];
  };
  readonly targets: readonly Target[];
  /** Other names of files that hold secrets. */
  readonly secretNames: readonly string[];
  readonly calls: readonly Attack[];
}

const FILE = new URL("../conformance/vectors/tools-attacks.json", import.meta.url);

/** Returns the text that pieces or UTF-16 code units stand for; another value unchanged. */
function whole(value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && value.every(Array.isArray)) {
    return value.map(([text, times]) => String(text).repeat(times)).join("");
  }
  const { units } = Object(value);
  return Array.isArray(units) ? String.fromCharCode(...units) : value;
}

const CASES: Cases = JSON.parse(Deno.readTextFileSync(FILE), (_, value) => whole(value));

/** Files inside that hold secrets. */
export const SECRET_FILES: readonly string[] = CASES.world.secretFiles;

/** Links of the workspace and their targets, which may begin with the name of a folder. */
export const LINKS: Readonly<Record<string, string>> = CASES.world.links;

/** Returns a text with the folders of a world in place of their names. */
export function filled(text: string, { workspace, sibling, outside }: World): string {
  return text.replaceAll("{workspace}", workspace).replaceAll("{sibling}", sibling)
    .replaceAll("{outside}", outside);
}

function onPaths(world: World): Attack[] {
  return CASES.targets.flatMap(({ kind, path: written, ends, list = ends, write = ends }) => {
    const path = filled(written, world);
    return [
      { kind, tool: "file_read" as const, input: { path }, ends },
      { kind, tool: "list_dir" as const, input: { path }, ends: list },
      { kind, tool: "file_search" as const, input: { path, query: "SECRET" }, ends: list },
      ...["create", "overwrite", "append"].map((mode) => ({
        kind,
        tool: "file_write" as const,
        input: { path, mode, content: "changed" },
        // The file of another mode may exist by now.
        ends: [...write, "file_exists"],
      })),
      {
        kind,
        tool: "file_write" as const,
        input: { path, mode: "replace", old_text: "FROM", content: "changed" },
        ends: [...write, "text_not_found", "file_not_found", "not_a_folder"],
      },
    ];
  });
}

function onSecrets(): Attack[] {
  return [...SECRET_FILES, ...CASES.secretNames].flatMap((path): Attack[] => [
    { kind: "secret", tool: "file_read", input: { path }, ends: ["file_denied"] },
    {
      kind: "secret",
      tool: "file_write",
      input: { path, mode: "replace", old_text: "DENIED", content: "x" },
      ends: ["file_denied"],
    },
  ]);
}

/** All attacks in a world. */
export function attacks(world: World): Attack[] {
  return [...onPaths(world), ...onSecrets(), ...CASES.calls];
}
