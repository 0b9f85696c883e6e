/** Attacks of a hostile model or a hostile workspace, each one call of a file tool. */

/** The kinds of attack. */
export type AttackClass =
  | "traversal"
  | "absolute path"
  | "sibling prefix"
  | "symlink"
  | "hard link"
  | "special file"
  | "hostile name"
  | "secret"
  | "huge"
  | "pathological pattern"
  | "permission";

/** One call and its expected outcome. */
export interface Attack {
  /** Kind of the attack. */
  readonly kind: AttackClass;
  /** Tool to call. */
  readonly tool: "file_read" | "list_dir" | "file_search" | "file_write";
  /** Input of the call, as a model would send it. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Code of the expected error; `harmless`: an answer without anything from outside. */
  readonly ends: readonly string[];
  /** Behaviour of the permission callback; absent: it grants. */
  readonly permission?: "none" | "throws" | "truthy";
}

/** Content of every file outside the workspace; it must never be in an answer. */
export const SECRET = "SECRET-FROM-OUTSIDE";
/** Content of every file inside that holds secrets. */
export const DENIED = "DENIED-INSIDE";

/** The place of an attack. */
export interface World {
  /** The workspace, absolute. */
  readonly workspace: string;
  /** A folder beside it, whose name begins with that of the workspace. */
  readonly sibling: string;
  /** An unrelated folder. */
  readonly outside: string;
}

interface Target {
  readonly kind: AttackClass;
  readonly path: string;
  /** Expected codes of file_read, when `ends` is for other tools. */
  readonly ends: readonly string[];
  readonly list?: readonly string[];
  readonly write?: readonly string[];
}

const OUTSIDE = ["outside_workspace"];
const INVALID = ["invalid_path"];

function target(kind: AttackClass, path: string, ends: readonly string[]): Target {
  return { kind, path, ends };
}

function links(): Target[] {
  const noFile = ["not_a_file"];
  return [
    target("symlink", "to_file", OUTSIDE),
    target("symlink", "to_folder/secret.txt", OUTSIDE),
    target("symlink", "to_folder", OUTSIDE),
    target("symlink", "to_folder/new/deep.txt", OUTSIDE),
    target("symlink", "to_sibling/secret.txt", OUTSIDE),
    target("symlink", "to_root/etc/passwd", OUTSIDE),
    target("symlink", "chain_1", OUTSIDE),
    target("symlink", "inner/up/outside/secret.txt", OUTSIDE),
    { kind: "symlink", path: "dangling", ends: noFile, list: ["not_a_folder"], write: noFile },
    { kind: "symlink", path: "dangling_chain", ends: noFile, list: ["not_a_folder"] },
    target("symlink", "dangling/new.txt", ["not_a_folder"]),
    target("symlink", "loop", ["link_loop"]),
    target("symlink", "loop_a/file.txt", ["link_loop"]),
    target("symlink", "itself/itself/secret.txt", ["file_not_found", "harmless"]),
    { kind: "special file", path: "pipe", ends: noFile, list: ["not_a_folder"] },
    { kind: "special file", path: "socket", ends: noFile, list: ["not_a_folder"] },
    target("special file", "to_zero", OUTSIDE),
    {
      kind: "hard link",
      path: "hard.txt",
      ends: ["harmless"],
      list: ["not_a_folder"],
      write: ["hard_linked"],
    },
  ];
}

function paths({ workspace, sibling, outside }: World): Target[] {
  return [
    ..."../outside/secret.txt|..|../|../../etc/passwd|inner/../../outside/secret.txt|./../outside|inner/./../../outside/secret.txt|../workspace/../outside/secret.txt|inner/../inner/../../outside|.//..//outside/secret.txt"
      .split("|").map((path) => target("traversal", path, OUTSIDE)),
    target("traversal", "../".repeat(60) + "etc/passwd", OUTSIDE),
    target("traversal", `to_folder/../../outside/secret.txt`, OUTSIDE),
    ...["/", "/etc/passwd", "/proc/self/environ", "/proc/self/cwd/x", "/dev/zero", "//etc/passwd"]
      .map((path) => target("absolute path", path, OUTSIDE)),
    target("absolute path", `${outside}/secret.txt`, OUTSIDE),
    target("absolute path", `${workspace}/../outside/secret.txt`, OUTSIDE),
    target("sibling prefix", `${sibling}/secret.txt`, OUTSIDE),
    target("sibling prefix", "../workspace-evil/secret.txt", OUTSIDE),
    target("sibling prefix", sibling, OUTSIDE),
    ...links(),
    target("hostile name", "a\0b", INVALID),
    target("hostile name", "../outside/secret.txt\0.txt", INVALID),
    target("hostile name", "\ud800", INVALID),
    target("hostile name", "n".repeat(300), INVALID),
    target("hostile name", "x/".repeat(3_000), INVALID),
    target("hostile name", "x/".repeat(150) + "y", INVALID),
    {
      kind: "hostile name",
      path: "..\\outside\\secret.txt",
      ends: ["file_not_found"],
      write: ["harmless"],
    },
    { kind: "hostile name", path: "%2e%2e/outside", ends: ["file_not_found"], write: ["harmless"] },
    { kind: "hostile name", path: "．．／outside", ends: ["file_not_found"], write: ["harmless"] },
    { kind: "hostile name", path: "~/outside.txt", ends: ["file_not_found"], write: ["harmless"] },
    { kind: "hostile name", path: "$HOME\n`id`", ends: ["file_not_found"], write: ["harmless"] },
  ];
}

function onPaths(world: World): Attack[] {
  return paths(world).flatMap(({ kind, path, ends, list = ends, write = ends }) => [
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
  ]);
}

/** Files inside that hold secrets. */
export const SECRET_FILES: readonly string[] = [
  ".env",
  ".env.local",
  "inner/.ENV",
  "inner/deep/.Env.Production",
  ".envrc",
  ".env~",
  "prod.env",
  "id_rsa",
  "inner/id_ed25519_sk",
  "id_ecdsa.bak",
  "server.pem",
  "inner/SERVER.Key",
  "store.jks",
  ".npmrc",
  "inner/.aws/credentials",
];

function onSecrets(): Attack[] {
  const names = [...SECRET_FILES, "to_env", "to_inner/.ENV", ".env/../.env", "inner/../.npmrc"];
  return [
    ...names.flatMap((path): Attack[] => [
      { kind: "secret", tool: "file_read", input: { path }, ends: ["file_denied"] },
      {
        kind: "secret",
        tool: "file_write",
        input: { path, mode: "replace", old_text: "DENIED", content: "x" },
        ends: ["file_denied"],
      },
    ]),
    { kind: "secret", tool: "file_search", input: { query: "DENIED" }, ends: ["harmless"] },
    {
      kind: "secret",
      tool: "file_search",
      input: { query: "DENIED", path: "inner", include_ignored: true },
      ends: ["harmless"],
    },
    { kind: "secret", tool: "file_search", input: { glob: "*.pem" }, ends: ["harmless"] },
    {
      kind: "secret",
      tool: "file_search",
      input: { query: "K", path: ".env" },
      ends: ["file_denied"],
    },
    { kind: "secret", tool: "file_read", input: { path: ".env.example" }, ends: ["harmless"] },
    { kind: "secret", tool: "file_read", input: { path: "id_rsa.pub" }, ends: ["harmless"] },
  ];
}

function onLimits(): Attack[] {
  const patterns = [
    "**/a/".repeat(40),
    "*a".repeat(120),
    "{a,b}".repeat(50),
    "{1..9999999}",
    "[".repeat(250),
    "+(a|aa)".repeat(30),
    "*".repeat(5_000),
    "*?".repeat(100),
    "*[ab]".repeat(50) + "c",
    "**/" + "*a".repeat(50) + "*b*c",
  ];
  const strange = ["!*", "../**", "/**"];
  return [
    { kind: "huge", tool: "file_read", input: { path: "sparse" }, ends: ["binary_file"] },
    { kind: "huge", tool: "file_read", input: { path: "long_line.txt" }, ends: ["harmless"] },
    { kind: "huge", tool: "list_dir", input: { path: "many" }, ends: ["harmless"] },
    { kind: "huge", tool: "file_search", input: { glob: "*" }, ends: ["harmless"] },
    { kind: "huge", tool: "file_search", input: { query: "x" }, ends: ["harmless"] },
    {
      kind: "huge",
      tool: "file_search",
      input: { path: "slow_rules", query: "x" },
      ends: ["harmless"],
    },
    {
      kind: "huge",
      tool: "file_write",
      input: { path: "big.txt", mode: "create", content: "x".repeat(17 * 1024 * 1024) },
      ends: ["file_too_large"],
    },
    ...patterns.map((glob): Attack => ({
      kind: "pathological pattern",
      tool: "file_search",
      // Long names and deep folders make a pattern slow.
      input: { glob, query: "SECRET", path: "patterns" },
      ends: ["harmless", "invalid_glob"],
    })),
    ...strange.map((glob): Attack => ({
      kind: "pathological pattern",
      tool: "file_search",
      input: { glob, query: "SECRET" },
      ends: ["harmless"],
    })),
  ];
}

function onPermission(): Attack[] {
  const input = { path: "refused.txt", mode: "create", content: "made" };
  return (["none", "throws", "truthy"] as const).map((permission): Attack => ({
    kind: "permission",
    tool: "file_write",
    input,
    ends: ["permission_denied"],
    permission,
  }));
}

/** All attacks in a world. */
export function attacks(world: World): Attack[] {
  return [...onPaths(world), ...onSecrets(), ...onLimits(), ...onPermission()];
}
