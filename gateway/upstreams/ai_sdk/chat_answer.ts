import type {
  JSONObject,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { ChatCompletion, ToolCall } from "@svc/sdk/protocol";
import type { NativeKind } from "../../domain/catalog/catalog.ts";
import { chatFinish, refusalText, unknownFinish } from "./finish.ts";
import { roundedCall } from "./rounded.ts";
import { SignatureCollector } from "./signatures.ts";
import { leftOutPart, unreadIn } from "./unread.ts";
import { chatUsage } from "./usage.ts";
import { warningTexts } from "./warnings.ts";

/** What an answer needs beside the provider's. */
export interface AnswerOptions {
  /** Kind of the upstream. */
  readonly kind: NativeKind;
  /** Where the provider gives none. */
  readonly id: string;
  /** Of the answer, in Unix seconds. */
  readonly createdSeconds: number;
  /** The upstream's name of it. */
  readonly model: string;
  /** What was left out of the request. */
  readonly warnings: readonly string[];
}

/** A complete answer in Chat's shape; `undefined` where the provider ended it with an error. */
export function chatAnswer(
  result: LanguageModelV4GenerateResult,
  options: AnswerOptions,
): ChatCompletion | undefined {
  const gathered = new EventBatcher(options.kind);
  for (const part of result.content) gathered.add(part);
  const { calls, extra, files, text } = gathered;
  const { annotations, reasoning_content = "", refusal } = unreadIn(
    options.kind,
    result.response?.body,
  );
  const reasoning = reasoning_content + gathered.reasoning;
  const finish_reason = chatFinish(result.finishReason, { hasToolCalls: calls.length > 0 });
  if (finish_reason === undefined) return undefined;
  const usage = chatUsage(result.usage);
  const odd = unknownFinish(result.finishReason);
  const warnings = [
    ...options.warnings,
    ...warningTexts(result.warnings),
    ...gathered.leftOut,
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

/** A picture that a model drew, as clients of Chat know them. */
export function imageOf({ data, mediaType }: LanguageModelV4File): JSONObject {
  const url = data.type === "url" ? `${data.url}` : `data:${mediaType};base64,${base64(data.data)}`;
  return { type: "image_url", image_url: { url } };
}

function base64(data: string | Uint8Array): string {
  return typeof data === "string" ? data : data.toBase64();
}

class EventBatcher {
  readonly calls: ToolCall[] = [];
  readonly files: JSONObject[] = [];
  /** A line on each kind of part that Chat has no place for. */
  readonly leftOut = new Set<string>();
  readonly #kind: NativeKind;
  readonly #signatures: SignatureCollector;
  text = "";
  reasoning = "";
  extra: JSONObject | undefined;

  constructor(kind: NativeKind) {
    this.#kind = kind;
    this.#signatures = new SignatureCollector(kind);
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
        const rounded = roundedCall(part.input, { kind: this.#kind, stream: false });
        if (rounded !== undefined) this.leftOut.add(rounded);
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
        const line = leftOutPart(this.#kind, part.type);
        if (line !== undefined) this.leftOut.add(line);
      }
    }
  }
}
