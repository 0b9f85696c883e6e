/**
 * A memory of signed tool calls: some providers sign their tool calls and refuse a continuation
 * without the signature, and some clients drop members that they do not know.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { ChatRequest } from "@svc/sdk/protocol";
import { type CallerMemory, MEMORY_CAPACITY } from "../../ports/caller_memory.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { recordOf } from "../../wire/json/parse.ts";
import { editMembers } from "../../wire/json/text.ts";
import { editCalls, OPAQUE_MEMBERS } from "../../wire/chat/tool_calls.ts";

/** A tool call that carries opaque members. */
export interface SignedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** JSON texts of the opaque members, by name. */
  readonly opaque: ReadonlyMap<string, string>;
}

/** Maximum size of a stored signature, in bytes. */
const SIGNATURE_MAX_BYTES = 256 * 1024;
/** Size of an entry beside its texts, in bytes. */
const ENTRY_OVERHEAD_BYTES = 200;

/** Signatures by API key, tool-call id, name and arguments: tenants share no entries. */
export class SignatureMemory {
  readonly #entries = new Map<string, { opaque: ReadonlyMap<string, string>; bytes: number }>();
  readonly #shared: Pick<CallerMemory, "note"> | undefined;
  #bytes = 0;

  /** `shared`: where other instances read them. @default {nowhere} */
  constructor(shared?: Pick<CallerMemory, "note">) {
    this.#shared = shared;
  }

  /** Bytes stored now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Stores the signatures of a model for the key that it answered. */
  remember(keyId: string, calls: readonly SignedToolCall[]): void {
    for (const call of calls) {
      if (call.opaque.size === 0) continue;
      const bytes = bytesOf(call.opaque);
      if (bytes > SIGNATURE_MAX_BYTES) continue;
      const digest = digestOf(keyId, call);
      this.#store(digest, { opaque: call.opaque, bytes });
      if (this.#shared === undefined) continue;
      const text = JSON.stringify([...call.opaque]);
      this.#shared.note({ kind: "signature", id: digest }, { text, size: bytes });
    }
  }

  /** True if a call of this digest has signatures here. */
  has(digest: string): boolean {
    return this.#entries.has(digest);
  }

  /** Stores signatures that another instance has noted. */
  learn(digest: string, text: string): void {
    const opaque = new Map<string, string>(JSON.parse(text));
    this.#store(digest, { opaque, bytes: bytesOf(opaque) });
  }

  /**
   * Restores signatures that the caller's client dropped. Returns the same body if there are none.
   */
  restore(keyId: string, body: JsonBody): JsonBody {
    if (this.#entries.size === 0) return body;
    const { messages } = body.value as unknown as ChatRequest;
    if (!messages.some((message) => Array.isArray(message.tool_calls))) return body;
    const text = editCalls(body.text, (call) => {
      const opaque = this.#missing(keyId, call);
      return opaque && editMembers(call, Object.fromEntries(opaque));
    });
    return text === body.text ? body : { text, value: recordOf(text) };
  }

  #missing(keyId: string, written: string): ReadonlyMap<string, string> | undefined {
    const call = JSON.parse(written);
    if (hasSignature(call)) return undefined;
    const digest = callDigest(keyId, call);
    return digest === undefined ? undefined : this.#entries.get(digest)?.opaque;
  }

  #store(digest: string, entry: { opaque: ReadonlyMap<string, string>; bytes: number }): void {
    this.#forget(digest);
    this.#entries.set(digest, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MEMORY_CAPACITY.signature) return;
      this.#forget(oldest);
    }
  }

  #forget(digest: string): void {
    this.#bytes -= this.#entries.get(digest)?.bytes ?? 0;
    this.#entries.delete(digest);
  }
}

/** True for a call that has opaque members. */
export function hasSignature(call: object): boolean {
  return OPAQUE_MEMBERS.some((name) => name in call);
}

function bytesOf(opaque: ReadonlyMap<string, string>): number {
  let bytes = ENTRY_OVERHEAD_BYTES;
  for (const text of opaque.values()) bytes += text.length;
  return bytes;
}

/**
 * Returns the digest of a function call that was made for a key; `undefined` if it is no function
 * call.
 */
export function callDigest(keyId: string, call: unknown): string | undefined {
  const { id, function: called } = Object(call);
  const { name, arguments: input } = Object(called);
  if (typeof id !== "string" || typeof name !== "string" || typeof input !== "string") {
    return undefined;
  }
  return digestOf(keyId, { id, name, arguments: input });
}

function digestOf(keyId: string, call: Omit<SignedToolCall, "opaque">): string {
  return createHash("sha256")
    .update(JSON.stringify([keyId, call.id, call.name, meaningOf(call.arguments)]))
    .digest("base64");
}

/**
 * Clients that parse the arguments of a call write them differently: equal JSON must have equal
 * digests.
 */
function meaningOf(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input === "" ? "{}" : input));
  } catch {
    return input;
  }
}
