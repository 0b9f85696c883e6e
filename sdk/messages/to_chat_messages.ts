import { ConfigurationError } from "../errors.ts";
import type {
  ChatMessage,
  ContentBlockParam,
  ContentPart,
  MessageParam,
  RedactedThinkingBlock,
  TextPart,
  ThinkingBlock,
  ToolCall,
  ToolResultBlockParam,
} from "../protocol/mod.ts";
import { attachedTo } from "../run/attached.ts";
import { toolCall } from "./tool_calls.ts";
import {
  contentOf,
  contentParts,
  isPlain,
  type KnownBlock,
  knownBlocks,
  textPart,
  unsendable,
} from "./to_chat_parts.ts";

type Rest = Readonly<Record<string, unknown>>;
type Thought = ThinkingBlock | RedactedThinkingBlock;

/** Returns the instructions before the conversation, if any. */
export function systemMessages(system: string | ContentBlockParam[]): ChatMessage[] {
  return system.length === 0 ? [] : chatMessages({ role: "system", content: system }, "system");
}

/** Converts a message; tool results become separate messages. */
export function chatMessages(message: MessageParam, path: string): ChatMessage[] {
  const { role, content, ...rest }: MessageParam = Object(message);
  if (role !== "user" && role !== "assistant" && role !== "system") {
    throw new ConfigurationError(
      `Cannot send a message of the role "${role}" (${path}): there are user, assistant and system`,
    );
  }
  if (typeof content === "string") return [{ ...rest, role, content }];
  const blocks = knownBlocks(content, `${path}.content`);
  if (role === "assistant") return [assistantMessage(blocks, { path, rest })];
  return role === "user"
    ? userMessages(blocks, { path, rest })
    : [{ ...rest, role, content: contentOf(blocks.flatMap((one) => contentParts(one, path))) }];
}

/**
 * Returns the tool results, each as a message, and then the content that they show besides text.
 */
function userMessages(
  blocks: readonly KnownBlock[],
  { path, rest }: { readonly path: string; readonly rest: Rest },
): ChatMessage[] {
  const results: ChatMessage[] = [];
  const shown: ContentPart[] = [];
  const content: ContentPart[] = [];
  for (const [at, block] of blocks.entries()) {
    const here = `${path}.content.${at}`;
    if (block.type !== "tool_result") {
      for (const part of contentParts(block, here)) content.push(part);
      continue;
    }
    const { message, attachments } = toolMessage(block, here);
    results.push(message);
    for (const part of attachments) shown.push(part);
  }
  const parts = [...shown, ...content];
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { ...rest, role: "user", content: contentOf(parts) }];
}

/**
 * Converts a tool result. Chat's results are text: its images and files are attached to the next
 * message of the user.
 */
function toolMessage(
  block: ToolResultBlockParam,
  path: string,
): { readonly message: ChatMessage; readonly attachments: ContentPart[] } {
  const { type: _, tool_use_id, content, is_error: isError, ...rest } = block;
  const parts = typeof content === "string"
    ? [{ type: "text", text: content }]
    : knownBlocks(content ?? [], `${path}.content`).flatMap((one) => contentParts(one, path));
  const texts = parts.filter(isText);
  const files = parts.filter((part) => !isText(part));
  if (texts.length === 0) texts.push({ type: "text", text: files.length === 0 ? "" : ATTACHED });
  if (isError === true) texts.splice(0, 1, ...texts.slice(0, 1).map(asError));
  return {
    message: {
      ...rest,
      role: "tool",
      tool_call_id: tool_use_id,
      content: contentOf(texts),
      ...(isError === true ? { is_error: true } : {}),
    },
    attachments: files.length === 0
      ? []
      : [{ type: "text", text: attachedTo(tool_use_id) }, ...files],
  };
}

const ATTACHED = "The result is attached to the next message.";

function isText(part: ContentPart): part is TextPart {
  return part.type === "text";
}

/** Marks the text of a failed result: not every provider passes the error flag to its model. */
function asError(part: TextPart): TextPart {
  const saysSo = /^\s*(?:error\b|\{\s*"error")/i.test(part.text);
  return saysSo ? part : { ...part, text: `Error: ${part.text}` };
}

function assistantMessage(
  blocks: readonly KnownBlock[],
  { path, rest }: { readonly path: string; readonly rest: Rest },
): ChatMessage {
  const texts: TextPart[] = [];
  const calls: ToolCall[] = [];
  const thoughts: Thought[] = [];
  let mark: unknown;
  for (const [at, block] of blocks.entries()) {
    switch (block.type) {
      case "text":
        texts.push(textPart(block));
        break;
      case "thinking":
      case "redacted_thinking":
        thoughts.push(block);
        break;
      case "tool_use":
        calls.push(toolCall(block));
        // Providers ignore the mark on a call.
        mark = block["cache_control"] ?? mark;
        break;
      default:
        throw unsendable(`an assistant's "${block.type}" block`, `${path}.content.${at}`);
    }
  }
  return {
    ...(mark === undefined ? {} : { cache_control: mark }),
    ...rest,
    role: "assistant",
    content: texts.length === 0 && calls.length > 0 ? null : assistantText(texts),
    ...reasoningFields(thoughts, { calls, rest }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Returns an assistant's text: its blocks continue each other without a break. */
function assistantText(texts: TextPart[]): string | ContentPart[] {
  return texts.every(isPlain) ? texts.map(({ text }) => text).join("") : texts;
}

/**
 * Returns thinking as Chat's extension. Its signature is already on the tool calls where the
 * service wrote it; else it goes along with the message.
 */
function reasoningFields(
  thoughts: readonly Thought[],
  { calls, rest }: { readonly calls: readonly ToolCall[]; readonly rest: Rest },
): Rest {
  const text = thoughts.map((one) => one.type === "thinking" ? one.thinking : "").join("");
  const signed = thoughts.filter((one) => one.type !== "thinking" || one.signature !== "");
  const isSigned = rest["extra_content"] !== undefined ||
    calls.some(({ extra_content }) => extra_content !== undefined);
  return {
    ...(text === "" ? {} : { reasoning_content: text }),
    ...(signed.length === 0 || isSigned
      ? {}
      : { extra_content: { anthropic: { thinking: signed } } }),
  };
}
