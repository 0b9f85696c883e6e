/**
 * Maps fields of a translated chat request back to the Responses request, since a caller of
 * Responses knows only the names that it sent.
 *
 * @module
 */

/** The part of a Responses request that became a message. */
export interface MessageSource {
  /** Path of the item, for instance `input.2`; `input` where that is text. */
  readonly path: string;
  /** The member that became the message's content; absent where that was combined. */
  readonly content?: "content" | "output" | undefined;
  /** Paths of the items that became its tool calls. */
  readonly calls: readonly string[];
}

type Name = readonly [chat: RegExp, responses: string];

/** Fields that have another name in Chat Completions; the path below them stays. */
const NAMES: readonly Name[] = [
  [/^messages(?=$|\.)/, "input"],
  [/^response_format\.json_schema(?=$|\.)/, "text.format"],
  [/^response_format(?=$|\.)/, "text.format"],
  [/^reasoning_effort$/, "reasoning.effort"],
  [/^verbosity$/, "text.verbosity"],
  [/^logprobs$/, "include"],
  [/^max_(?:completion_)?tokens$/, "max_output_tokens"],
  [/^tools\.(\d+)\.function(?=$|\.)/, "tools.$1"],
  [/^tool_choice\.(?:function|allowed_tools)(?=$|\.)/, "tool_choice"],
];

/**
 * Names below a part: Chat Completions nests fields in an object that Responses has in the part
 * itself.
 */
const PARTS: readonly Name[] = [
  [/^(\.\d+)\.image_url(?:\.url)?$/, "$1.image_url"],
  [/^(\.\d+)\.(?:image_url|file)(?=\.\w+$)/, "$1"],
];

/**
 * Returns the sources for a request of which only some items were sent; `itemPaths` has the paths
 * of those, in order.
 */
export function sourcesAmong(
  sources: readonly MessageSource[],
  itemPaths: readonly string[],
): readonly MessageSource[] {
  const moved = (path: string) => {
    const [, at] = /^input\.(\d+)$/.exec(path) ?? [];
    return at === undefined ? path : itemPaths[Number(at)] ?? path;
  };
  return sources.map(({ path, calls, ...source }) => (
    { ...source, path: moved(path), calls: calls.map(moved) }
  ));
}

/** Returns the caller's path of a field; OpenAI's own notation of an index is read as well. */
export function callerPath(path: string, sources: readonly MessageSource[]): string {
  const dotted = path.replaceAll(/\.?\[(\d+)\]/g, ".$1");
  const [, index, rest = ""] = /^messages\.(\d+)(?=$|\.)(.*)$/.exec(dotted) ?? [];
  if (index !== undefined) {
    const source = sources[Number(index)];
    return source === undefined ? "input" : pathIn(source, rest);
  }
  const name = renamed(dotted, NAMES);
  return name === dotted ? path : name;
}

/** Returns a line that begins with a field's path with the caller's path. */
export function callerLine(line: string, sources: readonly MessageSource[]): string {
  return line
    .replace(/^"([^"]+)"/, (_, path) => `"${callerPath(path, sources)}"`)
    .replace(/^([\w.]+)(?=: )/, (path) => callerPath(path, sources));
}

function pathIn({ path, content, calls }: MessageSource, rest: string): string {
  const [, at, called = ""] = /^\.tool_calls\.(\d+)(?=$|\.)(.*)$/.exec(rest) ?? [];
  const call = at === undefined ? undefined : calls[Number(at)];
  if (call !== undefined) {
    return below(call, called.replace(/^\.id$/, ".call_id").replace(/^\.function(?=$|\.)/, ""));
  }
  if (rest === ".tool_call_id") return below(path, ".call_id");
  const [, inContent] = /^\.content(?=$|\.)(.*)$/.exec(rest) ?? [];
  if (inContent === undefined) return below(path, rest);
  if (content === undefined) return path;
  return below(path, `.${content}${renamed(inContent, PARTS)}`);
}

function renamed(path: string, names: readonly Name[]): string {
  const [chat, responses] = names.find(([chat]) => chat.test(path)) ?? ["", ""];
  return path.replace(chat, responses);
}

/** Fields below an item that is not in the request have no path for the caller. */
function below(path: string, rest: string): string {
  return path.startsWith("input.") ? path + rest : path;
}
