/**
 * Prints the flags of `deno run` for `deno task serve`: the permission set `serve` of `deno.json`,
 * and the flags in the environment variable `SERVE_OPTIONS`.
 *
 * Deno replaces a set's list by the list of an explicit flag. Here the lists of the set are repeated
 * in the flag, so that `--allow-env=NAME` adds a variable, and no `--deny-net` gives access to a
 * metadata service.
 *
 * @module
 */

/** Values of one permission in a set of `deno.json`. */
type Values = boolean | readonly string[];

/** A permission set of `deno.json`. */
export type PermissionSet = Readonly<
  Record<string, Values | { readonly allow?: Values; readonly deny?: Values }>
>;

/** Returns the flags that grant the set `name` and, added to its lists, the flags in `options`. */
export function flagsWithOptions(name: string, set: PermissionSet, options: string): string[] {
  const added = new Map<string, string[]>();
  const others: string[] = [];
  for (const word of options.split(/\s+/).filter((word) => word !== "")) {
    const [, flag, list] = /^--((?:allow|deny)-[a-z]+)=(.*)$/.exec(word) ?? [];
    if (flag === undefined || list === undefined) others.push(word);
    else added.set(flag, [...added.get(flag) ?? [], ...list.split(",")]);
  }
  const lists = [...added].map(([flag, values]) =>
    `--${flag}=${[...listOf(set, flag), ...values].join(",")}`
  );
  return [`-P=${name}`, ...lists, ...others];
}

function listOf(set: PermissionSet, flag: string): readonly string[] {
  const [effect, kind = ""] = flag.split("-");
  const permission = set[kind] ?? false;
  if (typeof permission === "boolean" || "length" in permission) {
    return effect === "allow" && typeof permission !== "boolean" ? permission : [];
  }
  const values = effect === "allow" ? permission.allow : permission.deny;
  return values === undefined || typeof values === "boolean" ? [] : values;
}

if (import.meta.main) {
  const { permissions } = JSON.parse(await Deno.readTextFile("deno.json"));
  const options = Deno.env.get("SERVE_OPTIONS") ?? "";
  console.log(flagsWithOptions("serve", permissions.serve, options).join(" "));
}
