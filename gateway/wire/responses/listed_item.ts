import { recordOf } from "../json/parse.ts";
import { editMembers, elementTexts, memberText } from "../json/text.ts";
import { itemType } from "./items.ts";

/** Items that OpenAI always lists with a status, whether the request had one or not. */
const WITH_STATUS: readonly string[] = ["function_call", "function_call_output"];

/**
 * Returns an item of a request as OpenAI lists it, since its clients expect every member: a message
 * in short form gets its type, and its text in a part. Given members keep their bytes.
 */
export function listedItem(text: string): string {
  const item = { text, value: recordOf(text) };
  const type = itemType(item);
  const isAnswer = type === "message" && item.value["role"] === "assistant";
  const edits: Record<string, string> = {};
  if (type === "message") {
    if (typeof item.value["type"] !== "string") edits["type"] = '"message"';
    if (typeof item.value["content"] === "string") {
      const content = memberText(text, "content") ?? '""';
      edits["content"] = isAnswer
        ? `[{"type":"output_text","text":${content},"annotations":[],"logprobs":[]}]`
        : `[{"type":"input_text","text":${content}}]`;
    } else if (isAnswer && Array.isArray(item.value["content"])) {
      const parts = elementTexts(memberText(text, "content"));
      const listed = parts.map(listedPart);
      if (listed.some((part, at) => part !== parts[at])) edits["content"] = `[${listed.join(",")}]`;
    }
  }
  const needsStatus = isAnswer || WITH_STATUS.includes(type);
  if (needsStatus && typeof item.value["status"] !== "string") edits["status"] = '"completed"';
  return Object.keys(edits).length === 0 ? text : editMembers(text, edits);
}

/** Adds citations and log probabilities to a model's text where they are missing. */
function listedPart(text: string): string {
  if (memberText(text, "type") !== '"output_text"') return text;
  const missing = ["annotations", "logprobs"].filter((name) =>
    memberText(text, name) === undefined
  );
  return editMembers(text, Object.fromEntries(missing.map((name) => [name, "[]"])));
}
