/**
 * Providers' signatures on their way through Chat: opaque members of tool calls, under
 * `extra_content`. What came in comes back byte for byte.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject, LanguageModelV4Prompt, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { NativeKind } from "../../domain/catalog/catalog.ts";

/** Part of an assistant's message. */
export type AssistantPart = Extract<
  LanguageModelV4Prompt[number],
  { role: "assistant" }
>["content"][number];

/** Where a kind keeps its signatures: the provider package's name for them, and Chat's. */
interface Place {
  readonly style: "thinking" | "thought";
  readonly packageKey: string;
  readonly chatKey: string;
}

const PLACES: Readonly<Partial<Record<NativeKind, Place>>> = {
  anthropic: { style: "thinking", packageKey: "anthropic", chatKey: "anthropic" },
  "amazon-bedrock": { style: "thinking", packageKey: "bedrock", chatKey: "anthropic" },
  google: { style: "thought", packageKey: "google", chatKey: "google" },
  "google-vertex": { style: "thought", packageKey: "googleVertex", chatKey: "vertex" },
};

/** A block of thoughts as it comes together. */
interface Thoughts {
  text: string;
  signature?: string | undefined;
  redacted?: string | undefined;
}

/** Collects the signatures of one answer. */
export class SignatureCollector {
  readonly #place: Place | undefined;
  #blocks: Thoughts[] = [];

  /** For an answer of that kind. */
  constructor(kind: NativeKind) {
    this.#place = PLACES[kind];
  }

  /** A block of thoughts begins. */
  beginThoughts(metadata: SharedV4ProviderMetadata | undefined): void {
    if (this.#place?.style !== "thinking") return;
    this.#blocks.push({ text: "" });
    this.addThoughts("", metadata);
  }

  /** The block goes on; a signature replaces an earlier one. */
  addThoughts(text: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#blocks.at(-1);
    if (this.#place === undefined || block === undefined) return;
    block.text += text;
    const own = metadata?.[this.#place.packageKey];
    const redacted = own?.["redactedData"] ?? own?.["redactedContent"];
    if (typeof own?.["signature"] === "string") block.signature = own["signature"];
    if (typeof redacted === "string") block.redacted = redacted;
  }

  /** What a tool call that comes now must carry; `undefined` where it is not signed. */
  ofToolCall(metadata: SharedV4ProviderMetadata | undefined): JSONObject | undefined {
    const place = this.#place;
    if (place?.style !== "thinking") return this.ofText(metadata);
    const thinking = this.#blocks.flatMap(blockOf);
    this.#blocks = [];
    return thinking.length === 0 ? undefined : { [place.chatKey]: { thinking } };
  }

  /** What a text must carry; `undefined` where it is not signed. */
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

/** The thoughts that stood before a tool call. */
export function thoughtsBefore(
  call: Readonly<Record<string, unknown>>,
  kind: NativeKind,
): AssistantPart[] {
  const place = PLACES[kind];
  if (place?.style !== "thinking") return [];
  const blocks = namespace(call, place.chatKey)?.["thinking"];
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown): AssistantPart[] => {
    if (!isJsonObject(block)) return [];
    const { data, signature, thinking } = block;
    const own = typeof data === "string"
      ? { [kind === "anthropic" ? "redactedData" : "redactedContent"]: data }
      : typeof signature === "string"
      ? { signature }
      : undefined;
    if (own === undefined) return [];
    const text = typeof thinking === "string" ? thinking : "";
    return [{ type: "reasoning", text, providerOptions: { [place.packageKey]: own } }];
  });
}

/**
 * What the package must be told of a text's or a tool call's signature. Calls that another model
 * made have none: the package then sends Gemini the documented value for foreign history.
 */
export function signatureOptions(
  signed: Readonly<Record<string, unknown>>,
  kind: NativeKind,
): Record<string, JSONObject> | undefined {
  const place = PLACES[kind];
  if (place?.style !== "thought") return undefined;
  // Google's two addresses call the place differently, and a conversation may move between them.
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
