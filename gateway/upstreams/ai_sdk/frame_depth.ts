import { MAX_DEPTH } from "../openai_compatible/body.ts";

const [LINE_FEED, QUOTE, BACKSLASH] = [0x0a, 0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Detects too deeply nested JSON in lines of bytes, piece by piece. A package parses each line at
 * once, and a frame of millions of levels would block the event loop for seconds.
 */
export class FrameDepth {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** True when a line exceeds the depth with these bytes. */
  exceededBy(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (byte === LINE_FEED) {
        this.#depth = 0;
        this.#inString = this.#escaped = false;
      } else if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (byte === QUOTE) this.#inString = false;
        else if (byte === BACKSLASH) this.#escaped = true;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++this.#depth > MAX_DEPTH) return true;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth--;
    }
    return false;
  }
}
