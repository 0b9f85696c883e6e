import type {
  JSONObject,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ToolCallDelta } from "@svc/sdk/protocol";
import { UpstreamCut } from "../../ports/upstream.ts";
import { type AnswerOptions, imageOf } from "./chat_answer.ts";
import { chatFinish, refusalText, unknownFinish } from "./finish_reason.ts";
import { roundedCall } from "./rounded_integers.ts";
import { SignatureCollector } from "./signatures.ts";
import { leftOutPart, unreadContentIn } from "./unread_content.ts";
import { chatUsage } from "./usage.ts";
import { warningTexts } from "./warnings.ts";

type Part<Type> = Extract<LanguageModelV4StreamPart, { type: Type }>;

interface OpenCall {
  readonly index: number;
  /** True once a piece of the input has arrived. */
  hasInput: boolean;
  isSigned: boolean;
}

/** Writes the parts of one streamed answer as the JSON texts of chat chunks. */
export class ChunkWriter {
  readonly #options: AnswerOptions;
  readonly #signatures: SignatureCollector;
  readonly #warnings: string[];
  /** Warnings about the answer: one line for each type of part that was left out. */
  readonly #leftOut = new Set<string>();
  readonly #calls = new Map<string, OpenCall>();
  #id: string;
  /** Text before a delta, the same in every chunk. */
  #head = "";
  /** True once the provider has ended the answer. */
  finished = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#signatures = new SignatureCollector(options.format);
    this.#warnings = [...options.warnings];
    this.#id = options.id;
  }

  /**
   * Returns the chunks of a part: none, one, or the first chunk and one. Throws an {@linkcode
   * UpstreamCut}.
   */
  write(part: LanguageModelV4StreamPart): string[] {
    switch (part.type) {
      case "stream-start":
        this.#warnings.push(...warningTexts(part.warnings));
        return [];
      case "response-metadata":
        if (this.#head === "") this.#id = part.id ?? this.#id;
        return this.#begin();
      case "text-start":
      case "text-end":
        return this.#delta({}, this.#signatures.ofText(part.providerMetadata));
      case "text-delta":
        return this.#delta(
          part.delta === "" ? {} : { content: part.delta },
          this.#signatures.ofText(part.providerMetadata),
        );
      case "reasoning-start":
        this.#signatures.beginThoughts(part.providerMetadata);
        return [];
      case "reasoning-delta":
        this.#signatures.addThoughts(part.delta, part.providerMetadata);
        return this.#delta(part.delta === "" ? {} : { reasoning_content: part.delta });
      case "reasoning-end":
        this.#signatures.addThoughts("", part.providerMetadata);
        return [];
      case "tool-input-start":
        return this.#openCall(part.id, part.toolName, part.providerMetadata);
      case "tool-input-delta":
        return this.#callInput(part.id, part.delta);
      case "tool-call":
        return this.#closeCall(part);
      case "file":
        return this.#delta({ images: [imageOf(part)] });
      case "finish":
        return this.#finish(part);
      case "error":
        throw cutOf(part.error);
      case "raw":
        return this.#delta({ ...unreadContentIn(this.#options.format, part.rawValue) });
      default: {
        const line = leftOutPart(this.#options.format, part.type);
        if (line !== undefined) this.#leftOut.add(line);
        return [];
      }
    }
  }

  #begin(): string[] {
    if (this.#head !== "") return [];
    const { createdSeconds, model } = this.#options;
    const head = { id: this.#id, object: "chat.completion.chunk", created: createdSeconds, model };
    this.#head = JSON.stringify(head).slice(0, -1);
    const delta = '{"role":"assistant","content":"","refusal":null}';
    const first = `${this.#head},"choices":[${choiceOf(delta, "null")}]`;
    if (this.#warnings.length === 0) return [`${first}}`];
    return [`${first},"upstream_warnings":${JSON.stringify(this.#warnings)}}`];
  }

  #delta(delta: JSONObject, extra_content?: JSONObject): string[] {
    if (extra_content !== undefined) delta = { ...delta, extra_content };
    return Object.keys(delta).length === 0 ? [] : this.#chunk(JSON.stringify(delta));
  }

  #chunk(
    delta: string,
    { finish = "null", lines = [] }: { finish?: string; lines?: readonly string[] } = {},
  ): string[] {
    const chunks = this.#begin();
    const more = lines.length === 0 ? "" : `,"upstream_warnings":${JSON.stringify(lines)}`;
    chunks.push(`${this.#head},"choices":[${choiceOf(delta, finish)}]${more}}`);
    return chunks;
  }

  #callDelta(delta: ToolCallDelta): string[] {
    return this.#chunk(JSON.stringify({ tool_calls: [delta] }));
  }

  #openCall(id: string, name: string, metadata: SharedV4ProviderMetadata | undefined): string[] {
    const extra_content = this.#signatures.ofToolCall(metadata);
    const index = this.#calls.size;
    this.#calls.set(id, { index, hasInput: false, isSigned: extra_content !== undefined });
    return this.#callDelta({
      index,
      id,
      type: "function",
      function: { name, arguments: "" },
      ...(extra_content === undefined ? {} : { extra_content }),
    });
  }

  #callInput(id: string, input: string): string[] {
    const call = this.#calls.get(id);
    if (call === undefined || input === "") return [];
    call.hasInput = true;
    return this.#callDelta({ index: call.index, function: { arguments: input } });
  }

  /** Completes a call: some packages stream no input, or sign a call only at its end. */
  #closeCall({ toolCallId, toolName, input, providerMetadata }: Part<"tool-call">): string[] {
    const rounded = roundedCall(input, { format: this.#options.format, stream: true });
    if (rounded !== undefined) this.#leftOut.add(rounded);
    const opened = this.#calls.has(toolCallId)
      ? []
      : this.#openCall(toolCallId, toolName, providerMetadata);
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return opened;
    const pieces = call.hasInput ? [] : this.#callInput(toolCallId, input);
    const extra_content = call.isSigned ? undefined : this.#signatures.ofToolCall(providerMetadata);
    const signed = extra_content === undefined
      ? []
      : this.#callDelta({ index: call.index, extra_content });
    return [...opened, ...pieces, ...signed];
  }

  #finish({ finishReason, providerMetadata, usage }: Part<"finish">): string[] {
    // A package reports this at the end of a body without the provider's end of stream.
    if (finishReason.raw === undefined) {
      throw new UpstreamCut("cut", "The stream ended without a finish reason");
    }
    const finish = chatFinish(finishReason, { hasToolCalls: this.#calls.size > 0 });
    if (finish === undefined) {
      throw new UpstreamCut("server_error", `The provider ended with "${finishReason.raw}"`);
    }
    this.finished = true;
    const refusal = refusalText(providerMetadata);
    const chunks = refusal === null ? [] : this.#delta({ refusal });
    const odd = unknownFinish(finishReason);
    const lines = [...this.#leftOut, ...odd === undefined ? [] : [odd]];
    chunks.push(...this.#chunk("{}", { finish: JSON.stringify(finish), lines }));
    const reported = chatUsage(usage);
    if (reported !== undefined) {
      chunks.push(`${this.#head},"choices":[],"usage":${JSON.stringify(reported)}}`);
    }
    return chunks;
  }
}

function choiceOf(delta: string, finish: string): string {
  return `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}`;
}

const MALFORMED = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
]);

/** True for a package's error about an answer that cannot be parsed. */
export function isMalformed(error: unknown): boolean {
  return error instanceof Error && MALFORMED.has(error.name);
}

function cutOf(cause: unknown): UpstreamCut {
  if (isMalformed(cause)) {
    return new UpstreamCut("malformed", "The upstream sent a malformed event", {
      cause,
    });
  }
  return new UpstreamCut("server_error", "The upstream reported an error in mid-stream", { cause });
}
