import { MAX_DEPTH } from "../openai_compatible/body.ts";

const [LINE_FEED, QUOTE, BACKSLASH] = [0x0a, 0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks for JSON deeper than any answer in lines of bytes, piece by piece: a package parses each line
 * at once, and a frame of millions of levels would block everybody else for seconds.
 */
export class FrameDepth {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Whether a line has gone too deep with these bytes. */
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
