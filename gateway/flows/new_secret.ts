import { randomBytes } from "node:crypto";
import { BASE62, type KeyParts, PUBLIC_ID_LENGTH, SECRET_LENGTH } from "../domain/key_format.ts";

/** A source of secrets: that many random bytes. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** The random parts of a new key or token. */
export function newKeyParts(random: RandomBytes = randomBytes): KeyParts {
  return {
    publicId: base62(random, PUBLIC_ID_LENGTH),
    secret: base62(random, SECRET_LENGTH),
  };
}

function base62(random: RandomBytes, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      // 248 is four times 62: bytes from there on would favour the first digits.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}
