import type { Clock } from "../ports/clock.ts";
import type { Rng } from "../ports/rng.ts";

/** Crockford's base 32 in lower case: no letter is mistaken for a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LETTERS = 10;
const RANDOM_LETTERS = 16;
/** Random letters are drawn by the page: a draw costs more than the letters. */
const PAGE_LETTERS = 4_096;

/** The machine's own randomness; ids begin with the time, so that they sort by it. */
export function createSystemRng(clock: Clock): Rng {
  let page = "";
  let used = PAGE_LETTERS;
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
      if (used + RANDOM_LETTERS > PAGE_LETTERS) {
        page = randomLetters();
        used = 0;
      }
      const letters = page.slice(used, used += RANDOM_LETTERS);
      return `${prefix}_${timeText(clock.nowMs())}${letters}`;
    },
    next: () => Math.random(),
  };
}

/** A page of letters, each as likely as any other. */
function randomLetters(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(PAGE_LETTERS));
  return new TextDecoder().decode(bytes.map((byte) => ALPHABET.charCodeAt(byte & 31)));
}
