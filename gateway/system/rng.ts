import type { Clock } from "../ports/clock.ts";
import type { Rng } from "../ports/rng.ts";

/** Crockford's base 32 in lower case: no letter is mistaken for a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LETTERS = 10;
const RANDOM_LETTERS = 16;
/** Random bytes are drawn by the page: a draw costs more than the bytes. */
const POOL_BYTES = 4_096;

/** The machine's own randomness; ids begin with the time, so that they sort by it. */
export function createSystemRng(clock: Clock): Rng {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  let lastMs = -1;
  let lastText = "";

  function timeText(nowMs: number): string {
    if (nowMs === lastMs) return lastText;
    let text = "";
    for (let rest = nowMs, at = 0; at < TIME_LETTERS; at += 1, rest = Math.floor(rest / 32)) {
      text = ALPHABET[rest % 32] + text;
    }
    lastMs = nowMs;
    lastText = text;
    return text;
  }

  return {
    id(prefix) {
      if (used + RANDOM_LETTERS > POOL_BYTES) {
        crypto.getRandomValues(pool);
        used = 0;
      }
      let text = `${prefix}_${timeText(clock.nowMs())}`;
      for (const end = used + RANDOM_LETTERS; used < end; used += 1) {
        text += ALPHABET[(pool[used] ?? 0) & 31];
      }
      return text;
    },
    next: () => Math.random(),
  };
}
