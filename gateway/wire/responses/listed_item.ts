import { recordOf } from "../json/parse.ts";
import { editMembers, elementTexts, memberText } from "../json/text.ts";
import { itemType } from "./items.ts";

/** Items that OpenAI always lists with a status, whether a request gave them one or not. */
const WITH_STATUS: readonly string[] = ["function_call", "function_call_output"];

/**
 * An item of a request as OpenAI lists it, where its clients expect every member: a message that a
 * request says in short has its type and its text in a part. Whatever is written out keeps its bytes.
 */
export function listedItem(text: string): string {
  const item = { text, value: recordOf(text) };
  const type = itemType(item);
  const isAnswer = type === "message" && item.value["role"] === "assistant";
  const edits: Record<string, string> = {};
  if (type === "message") {
    if (typeof item.value["type"] !== "string") edits["type"] = '"message"';
    if (typeof item.value["content"] === "string") {
      const said = memberText(text, "content") ?? '""';
      edits["content"] = isAnswer
        ? `[{"type":"output_text","text":${said},"annotations":[],"logprobs":[]}]`
        : `[{"type":"input_text","text":${said}}]`;
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

/** Text that a model wrote has its citations and probabilities, where it is only none of them. */
function listedPart(text: string): string {
  if (memberText(text, "type") !== '"output_text"') return text;
  const missing = ["annotations", "logprobs"].filter((name) =>
    memberText(text, name) === undefined
  );
  return editMembers(text, Object.fromEntries(missing.map((name) => [name, "[]"])));
}
