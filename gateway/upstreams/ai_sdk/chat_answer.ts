import type {
  JSONObject,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { ChatCompletion, ToolCall } from "@svc/sdk/protocol";
import type { ChatFormat } from "../providers/descriptor.ts";
import { chatFinish, refusalText, unknownFinish } from "./finish_reason.ts";
import { roundedCall } from "./rounded_integers.ts";
import { SignatureCollector } from "./signatures.ts";
import { leftOutPart, unreadContentIn } from "./unread_content.ts";
import { chatUsage } from "./usage.ts";
import { warningTexts } from "./warnings.ts";

/** Members of an answer that do not come from the provider, and the format to read it in. */
export interface AnswerOptions {
  readonly format: ChatFormat;
  /** Id of answers for which the provider gives none. */
  readonly id: string;
  /** Time of the answer, in Unix seconds. */
  readonly createdSeconds: number;
  /** The upstream's name of the model. */
  readonly model: string;
  /** Warnings about the request. */
  readonly warnings: readonly string[];
}

/** Translates a complete answer to Chat; `undefined` where the provider ended it with an error. */
export function chatAnswer(
  result: LanguageModelV4GenerateResult,
  options: AnswerOptions,
): ChatCompletion | undefined {
  const content = new ContentCollector(options.format);
  for (const part of result.content) content.add(part);
  const { calls, extra, files, text } = content;
  const { annotations, reasoning_content = "", refusal } = unreadContentIn(
    options.format,
    result.response?.body,
  );
  const reasoning = reasoning_content + content.reasoning;
  const finish_reason = chatFinish(result.finishReason, { hasToolCalls: calls.length > 0 });
  if (finish_reason === undefined) return undefined;
  const usage = chatUsage(result.usage);
  const odd = unknownFinish(result.finishReason);
  const warnings = [
    ...options.warnings,
    ...warningTexts(result.warnings),
    ...content.warnings,
    ...odd === undefined ? [] : [odd],
  ];
  const hasOther = calls.length > 0 || files.length > 0 || refusal !== undefined;
  return {
    id: result.response?.id ?? options.id,
    object: "chat.completion",
    created: options.createdSeconds,
    model: options.model,
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: text === "" && hasOther ? null : text,
        refusal: refusal ?? refusalText(result.providerMetadata),
        ...(annotations === undefined ? {} : { annotations }),
        ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
        ...(files.length === 0 ? {} : { images: files }),
        ...(extra === undefined ? {} : { extra_content: extra }),
      },
      finish_reason,
      logprobs: null,
    }],
    ...(usage === undefined ? {} : { usage }),
    ...(warnings.length === 0 ? {} : { upstream_warnings: warnings }),
  };
}

/** Returns an image that a model drew in the form that Chat clients expect. */
export function imageOf({ data, mediaType }: LanguageModelV4File): JSONObject {
  const url = data.type === "url" ? `${data.url}` : `data:${mediaType};base64,${base64(data.data)}`;
  return { type: "image_url", image_url: { url } };
}

function base64(data: string | Uint8Array): string {
  return typeof data === "string" ? data : data.toBase64();
}

/** Collects the parts of an answer by the members of a Chat message. */
class ContentCollector {
  readonly calls: ToolCall[] = [];
  readonly files: JSONObject[] = [];
  /** One line for each type of part that Chat cannot carry. */
  readonly warnings = new Set<string>();
  readonly #format: ChatFormat;
  readonly #signatures: SignatureCollector;
  text = "";
  reasoning = "";
  extra: JSONObject | undefined;

  constructor(format: ChatFormat) {
    this.#format = format;
    this.#signatures = new SignatureCollector(format);
  }

  add(part: LanguageModelV4Content): void {
    switch (part.type) {
      case "text":
        this.text += part.text;
        this.extra = this.#signatures.ofText(part.providerMetadata) ?? this.extra;
        return;
      case "reasoning":
        this.reasoning += part.text;
        this.#signatures.beginThoughts(part.providerMetadata);
        this.#signatures.addThoughts(part.text, undefined);
        return;
      case "tool-call": {
        const extra_content = this.#signatures.ofToolCall(part.providerMetadata);
        const rounded = roundedCall(part.input, { format: this.#format, stream: false });
        if (rounded !== undefined) this.warnings.add(rounded);
        this.calls.push({
          id: part.toolCallId,
          type: "function",
          function: { name: part.toolName, arguments: part.input },
          ...(extra_content === undefined ? {} : { extra_content }),
        });
        return;
      }
      case "file":
        this.files.push(imageOf(part));
        return;
      default: {
        const line = leftOutPart(this.#format, part.type);
        if (line !== undefined) this.warnings.add(line);
      }
    }
  }
}
