/**
 * Where a field of a chat request stands in the Responses request that it was made of: whoever asked
 * for a response is told of fields by the names that they were sent under.
 *
 * @module
 */

/** What of a Responses request a message was made of. */
export interface MessagePlace {
  /** Of the item, for instance `input.2`; `input` where that is text. */
  readonly path: string;
  /** The member that became the message's content; absent where that was put together. */
  readonly content?: "content" | "output" | undefined;
  /** Paths of the items that became its tool calls. */
  readonly calls: readonly string[];
}

type Name = readonly [chat: RegExp, responses: string];

/** Fields that have another name in Chat Completions; what stands below them stays. */
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

/** Below a part: what a part of Chat Completions holds in an object, one of Responses has itself. */
const PARTS: readonly Name[] = [
  [/^(\.\d+)\.image_url(?:\.url)?$/, "$1.image_url"],
  [/^(\.\d+)\.(?:image_url|file)(?=\.\w+$)/, "$1"],
];

/** Places in a request of which only some items were sent: `kept` has the paths of those, in order. */
export function placesAmong(
  places: readonly MessagePlace[],
  kept: readonly string[],
): readonly MessagePlace[] {
  const moved = (path: string) => {
    const [, at] = /^input\.(\d+)$/.exec(path) ?? [];
    return at === undefined ? path : kept[Number(at)] ?? path;
  };
  return places.map(({ path, calls, ...place }) => (
    { ...place, path: moved(path), calls: calls.map(moved) }
  ));
}

/** The caller's path of a field; OpenAI's own way to write an index is read as well. */
export function callerPath(path: string, places: readonly MessagePlace[]): string {
  const dotted = path.replaceAll(/\.?\[(\d+)\]/g, ".$1");
  const [, index, rest = ""] = /^messages\.(\d+)(?=$|\.)(.*)$/.exec(dotted) ?? [];
  if (index !== undefined) {
    const place = places[Number(index)];
    return place === undefined ? "input" : pathIn(place, rest);
  }
  const name = renamed(dotted, NAMES);
  return name === dotted ? path : name;
}

/** A line about a field, which begins with its path: the same line with the caller's. */
export function callerLine(line: string, places: readonly MessagePlace[]): string {
  return line
    .replace(/^"([^"]+)"/, (_, path) => `"${callerPath(path, places)}"`)
    .replace(/^([\w.]+)(?=: )/, (path) => callerPath(path, places));
}

function pathIn({ path, content, calls }: MessagePlace, rest: string): string {
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

/** What lies below an item that the request does not hold itself is of no name to its caller. */
function below(path: string, rest: string): string {
  return path.startsWith("input.") ? path + rest : path;
}
