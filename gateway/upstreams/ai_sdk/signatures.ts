/**
 * Providers' signatures in Chat: opaque members of tool calls, under `extra_content`, which callers
 * return byte for byte.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject, LanguageModelV4Prompt, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ChatFormat, SignatureFormat } from "../providers/descriptor.ts";

/** Part of an assistant's message. */
export type AssistantPart = Extract<
  LanguageModelV4Prompt[number],
  { role: "assistant" }
>["content"][number];

/** A block of thoughts that is being received. */
interface Thoughts {
  text: string;
  signature?: string | undefined;
  redacted?: string | undefined;
}

/** Collects the signatures of one answer. */
export class SignatureCollector {
  readonly #place: SignatureFormat | undefined;
  #blocks: Thoughts[] = [];

  constructor({ signatures }: ChatFormat) {
    this.#place = signatures;
  }

  /** Starts a block of thoughts. */
  beginThoughts(metadata: SharedV4ProviderMetadata | undefined): void {
    if (this.#place?.style !== "thinking") return;
    this.#blocks.push({ text: "" });
    this.addThoughts("", metadata);
  }

  /** Adds to the block; a signature replaces an earlier one. */
  addThoughts(text: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#blocks.at(-1);
    if (this.#place === undefined || block === undefined) return;
    block.text += text;
    const own = metadata?.[this.#place.packageKey];
    const redacted = own?.["redactedData"] ?? own?.["redactedContent"];
    if (typeof own?.["signature"] === "string") block.signature = own["signature"];
    if (typeof redacted === "string") block.redacted = redacted;
  }

  /** Returns the `extra_content` of a tool call; `undefined` where it is not signed. */
  ofToolCall(metadata: SharedV4ProviderMetadata | undefined): JSONObject | undefined {
    const place = this.#place;
    if (place?.style !== "thinking") return this.ofText(metadata);
    const thinking = this.#blocks.flatMap(blockOf);
    this.#blocks = [];
    return thinking.length === 0 ? undefined : { [place.chatKey]: { thinking } };
  }

  /** Returns the `extra_content` of a text; `undefined` where it is not signed. */
  ofText(metadata: SharedV4ProviderMetadata | undefined): JSONObject | undefined {
    const place = this.#place;
    if (place?.style !== "thought") return undefined;
    const signature = metadata?.[place.packageKey]?.["thoughtSignature"];
    if (typeof signature !== "string") return undefined;
    return { [place.chatKey]: { thought_signature: signature } };
  }
}

function blockOf({ text, signature, redacted }: Thoughts): JSONObject[] {
  if (redacted !== undefined) return [{ type: "redacted_thinking", data: redacted }];
  // Thoughts without a signature cannot be shown to the model again.
  return signature === undefined ? [] : [{ type: "thinking", thinking: text, signature }];
}

/** Returns the thoughts that preceded a tool call. */
export function thoughtsBefore(
  call: Readonly<Record<string, unknown>>,
  { claude, signatures: place }: ChatFormat,
): AssistantPart[] {
  if (place?.style !== "thinking") return [];
  const blocks = namespace(call, place.chatKey)?.["thinking"];
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown): AssistantPart[] => {
    if (!isJsonObject(block)) return [];
    const { data, signature, thinking } = block;
    const own = typeof data === "string"
      ? { [claude?.redactedKey ?? "redactedData"]: data }
      : typeof signature === "string"
      ? { signature }
      : undefined;
    if (own === undefined) return [];
    const text = typeof thinking === "string" ? thinking : "";
    return [{ type: "reasoning", text, providerOptions: { [place.packageKey]: own } }];
  });
}

/**
 * Returns the provider options for the signature of a text or a tool call. Calls of other models have
 * none; the package then sends Gemini the documented value for such calls.
 */
export function signatureOptions(
  signed: Readonly<Record<string, unknown>>,
  { signatures: place }: ChatFormat,
): Record<string, JSONObject> | undefined {
  if (place?.style !== "thought") return undefined;
  // Google's two APIs use different keys, and a conversation may move between them.
  const own = namespace(signed, "google") ?? namespace(signed, "vertex");
  const thoughtSignature = own?.["thought_signature"] ?? signed["thought_signature"];
  return typeof thoughtSignature === "string"
    ? { [place.packageKey]: { thoughtSignature } }
    : undefined;
}

function namespace(
  signed: Readonly<Record<string, unknown>>,
  key: string,
): Readonly<Record<string, unknown>> | undefined {
  const extra = signed["extra_content"];
  const own = isJsonObject(extra) ? extra[key] : undefined;
  return isJsonObject(own) ? own : undefined;
}
