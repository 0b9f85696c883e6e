import {
  CHECKED_CHARS_MAX,
  type ObservedAnswer,
  type ObservedCall,
} from "../../domain/learning/answer_check.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Items that are neither content for the reader nor calls of the caller's tools. */
const BESIDE: readonly unknown[] = ["reasoning", "web_search_call", "file_search_call"];

/** Returns a complete response as the checks of answers read it. */
export function observedResponse(resource: Fields): ObservedAnswer {
  const { output, status, incomplete_details: details } = resource;
  const items: readonly Fields[] = Array.isArray(output) ? output.map(Object) : [];
  const messages = items.filter(({ type }) => type === "message");
  const parts: readonly Fields[] = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.map(Object) : []
  );
  const textOf = (part: Fields) => typeof part["text"] === "string" ? part["text"] : "";
  const text = parts.filter(({ type }) => type === "output_text").map(textOf).join("");
  const others = items.filter(({ type }) =>
    type !== "message" && !isCall(type) && !BESIDE.includes(type)
  );
  const isFiltered = Object(details).reason === "content_filter";
  return {
    text: text.length > CHECKED_CHARS_MAX ? undefined : text,
    hasContent: text.trim() !== "" || others.length > 0,
    isRefused: isFiltered || parts.some(({ type }) => type === "refusal"),
    isCut: status === "incomplete" && !isFiltered,
    calls: items.flatMap((item) => callOf(item)),
  };
}

function isCall(type: unknown): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function callOf({ type, name, arguments: input }: Fields): readonly ObservedCall[] {
  if (type === "custom_tool_call") return [{ name: String(name) }];
  if (type !== "function_call") return [];
  return [{ name: String(name), input: typeof input === "string" ? input : JSON.stringify(input) }];
}
