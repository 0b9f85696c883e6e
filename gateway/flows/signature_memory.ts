/**
 * Some providers sign their tool calls and refuse a continuation whose signature is gone; some
 * clients drop what they do not know. Between the two, signatures are remembered for a while.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { ChatRequest } from "@svc/sdk/protocol";
import type { JsonBody } from "../ports/upstream.ts";
import { OPAQUE_MEMBERS } from "../wire/chat_chunk.ts";
import { editMembers, elements, members } from "../wire/json_text.ts";

/** A tool call that carries opaque members. */
export interface SignedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** JSON texts of the opaque members, by name. */
  readonly opaque: ReadonlyMap<string, string>;
}

/** Most bytes of signatures kept; the oldest go first. */
const CAPACITY_BYTES = 16 * 1024 * 1024;
/** A larger signature is not kept. */
const SIGNATURE_MAX_BYTES = 256 * 1024;
/** What an entry costs besides its texts. */
const ENTRY_OVERHEAD_BYTES = 200;

/** Signatures by API key, tool-call id, name and arguments: tenants never meet. */
export class SignatureMemory {
  readonly #entries = new Map<string, { opaque: ReadonlyMap<string, string>; bytes: number }>();
  #bytes = 0;

  /** Bytes kept now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps what a model signed, for the key it answered. */
  remember(keyId: string, calls: readonly SignedToolCall[]): void {
    for (const call of calls) {
      if (call.opaque.size === 0) continue;
      let bytes = ENTRY_OVERHEAD_BYTES;
      for (const text of call.opaque.values()) bytes += text.length;
      if (bytes > SIGNATURE_MAX_BYTES) continue;
      const digest = digestOf(keyId, call);
      this.#forget(digest);
      this.#entries.set(digest, { opaque: call.opaque, bytes });
      this.#bytes += bytes;
    }
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= CAPACITY_BYTES) return;
      this.#forget(oldest);
    }
  }

  /** Puts remembered signatures back where the caller's client dropped them; else the same body. */
  restore(keyId: string, body: JsonBody): JsonBody {
    if (this.#entries.size === 0) return body;
    const { messages } = body.value as unknown as ChatRequest;
    if (!messages.some((message) => Array.isArray(message.tool_calls))) return body;
    const text = this.#restoreText(keyId, body.text);
    return text === body.text ? body : { text, value: JSON.parse(text) };
  }

  #restoreText(keyId: string, text: string): string {
    const list = members(text).findLast((member) => member.key === "messages");
    if (list === undefined) return text;
    let result = text;
    for (const message of elements(text, list.valueStart).reverse()) {
      const calls = members(text, message.start).findLast((member) => member.key === "tool_calls");
      if (calls === undefined || text[calls.valueStart] !== "[") continue;
      for (const call of elements(text, calls.valueStart).reverse()) {
        const written = text.slice(call.start, call.end);
        const opaque = this.#missing(keyId, written);
        if (opaque === undefined) continue;
        const signed = editMembers(written, Object.fromEntries(opaque));
        result = result.slice(0, call.start) + signed + result.slice(call.end);
      }
    }
    return result;
  }

  #missing(keyId: string, written: string): ReadonlyMap<string, string> | undefined {
    const call = JSON.parse(written) as Partial<SignedToolCall> & {
      function?: { name?: unknown; arguments?: unknown };
    };
    if (OPAQUE_MEMBERS.some((name) => name in call)) return undefined;
    const { id, function: called } = call;
    if (typeof id !== "string" || typeof called?.name !== "string") return undefined;
    if (typeof called.arguments !== "string") return undefined;
    const digest = digestOf(keyId, { id, name: called.name, arguments: called.arguments });
    return this.#entries.get(digest)?.opaque;
  }

  #forget(digest: string): void {
    this.#bytes -= this.#entries.get(digest)?.bytes ?? 0;
    this.#entries.delete(digest);
  }
}

function digestOf(keyId: string, call: Omit<SignedToolCall, "opaque">): string {
  return createHash("sha256")
    .update(JSON.stringify([keyId, call.id, call.name, call.arguments]))
    .digest("base64");
}
