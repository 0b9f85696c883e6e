/** Reduces a word to its stem. */
export type Stemmer = (word: string) => string;

/** Words without meaning for the subject of a passage. */
const STOP_WORDS = new Set(
  ("a an and are as at be been but by can did do does for from had has have how i if in into is it " +
    "its me my no not of on or our so that the their then there these they this to was we were what " +
    "when where which who will with would you your 的 了 和 是 在 我 有 就 不 也 都 而 及 与 吗 呢")
    .split(" "),
);

const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{M}\p{N}])+/gu;
const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LATIN = /^[a-z]+$/;
/** Maximum length of a word; longer runs, such as base64, are no words. */
const MAX_WORD_CHARS = 64;

const PLAIN = /^[\0-\x7f]*$/;
const PLAIN_WORDS = /[a-z0-9]+/g;

/**
 * Returns the words of a text, in order and with repetitions, folded: case, width and accents do
 * not count, and English words lose their endings. East Asian text, which has no spaces, becomes
 * its characters and its pairs of neighbours: a query is then found however a dictionary would
 * divide the passage.
 */
export function tokenize(text: string, stem: Stemmer): string[] {
  const tokens: string[] = [];
  // Most text needs only case folding: tested once, not word by word.
  const isPlain = PLAIN.test(text);
  const words = isPlain ? text.toLowerCase().match(PLAIN_WORDS) : folded(text).match(WORDS);
  for (const word of words ?? []) {
    if (!isPlain && EAST_ASIAN.test(word)) addCharacters(word, tokens);
    else if (word.length <= MAX_WORD_CHARS && !STOP_WORDS.has(word)) {
      tokens.push(LATIN.test(word) ? stem(word) : word);
    }
  }
  return tokens;
}

function folded(text: string): string {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC").toLowerCase();
}

function addCharacters(word: string, tokens: string[]): void {
  const characters = [...word];
  for (const [at, character] of characters.entries()) {
    if (!STOP_WORDS.has(character)) tokens.push(character);
    const next = characters[at + 1];
    if (next !== undefined) tokens.push(character + next);
  }
}
