import { createHash, randomBytes } from "node:crypto";
import {
  BASE62,
  type KeyParts,
  PUBLIC_ID_LENGTH,
  SECRET_LENGTH,
} from "../../domain/policy/key_format.ts";

/** A source of secrets: returns that many random bytes. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** Returns the random parts of a new key or token; `publicId` replaces the random one. */
export function newKeyParts(random: RandomBytes = randomBytes, publicId?: string): KeyParts {
  return {
    publicId: publicId ?? base62(random, PUBLIC_ID_LENGTH),
    secret: base62(random, SECRET_LENGTH),
  };
}

/** Returns the public id for an operation's id: creating twice under it creates one key. */
export function publicIdFrom(operationId: string): string {
  let digest: Uint8Array = new TextEncoder().encode(operationId);
  return base62(() => {
    digest = createHash("sha256").update(digest).digest();
    return digest;
  }, PUBLIC_ID_LENGTH);
}

function base62(random: RandomBytes, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      // 248 is four times 62: higher bytes would favour the first digits.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}
