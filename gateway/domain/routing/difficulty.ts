/**
 * Difficulty of a request: the estimated probability that a typical model does not answer it well.
 *
 * ```text
 * difficulty = 0.25 * 2 ^ (0.25 * size), from 0.05 to 0.95
 * ```
 *
 * `size` counts doublings of the request beside a typical one. It is a sum of signals:
 *
 * | signal | adds |
 * |---|---|
 * | letters and symbols of the user's last message | 1 for each doubling beyond 256, at least -4 |
 * | all other text | 0.25 for each doubling beyond 4 096 bytes, at most 1.5 |
 * | code in the last message | 0.3 |
 * | mathematics in the last message | 0.2 |
 * | a word that asks for reasoning or design | 0.2 |
 * | routine work (translate, fix spelling, ...) | -0.3 |
 * | answer bound to a JSON schema | 0.2 |
 * | tools on offer | 0.3 |
 * | reasoning effort | none -2, minimal -1.5, low -1, high 2, xhigh 3 |
 *
 * Digits and white space do not count: on public sets of questions the length without them ranks the
 * need for the better model above the plain length (`deno task eval:public`). The words are hints
 * of small weight; learned outcomes of the request's task overrule them.
 *
 * @module
 */

import type { ChatMessage } from "@svc/sdk/protocol";

/** Signals beside the text of the last message. */
export interface DifficultySignals {
  /** UTF-8 bytes of all text. */
  readonly textBytes: number;
  /** Number of tools on offer. */
  readonly tools: number;
  /** True when the answer must follow a JSON schema. */
  readonly schema: boolean;
  /** The caller's `reasoning_effort`, unvalidated. */
  readonly effort: unknown;
}

/** Difficulty of a typical request: the share of answers of typical models that are not good. */
export const TYPICAL_DIFFICULTY = 0.25;

/** Constants of the difficulty that are fitted to outcomes. */
export interface DifficultyConstants {
  /** Doublings of the difficulty with each doubling of the size. */
  readonly slope: number;
  /** Counted characters: letters and symbols, or all. */
  readonly counted: "letters" | "all";
  /** Doublings that code, mathematics and words of reasoning stand for. */
  readonly code: number;
  readonly mathematics: number;
  readonly reasoning: number;
}

/** The constants in use. */
export const DIFFICULTY_CONSTANTS: DifficultyConstants = {
  slope: 0.25,
  counted: "letters",
  code: 0.3,
  mathematics: 0.2,
  reasoning: 0.2,
};

const READ_CHARS = 2_000;
const TYPICAL_LETTERS = 256;
const TYPICAL_OTHER_BYTES = 4_096;

const CODE =
  /```|^\s{0,16}(?:def|class|import|function|const|return|for|while|if)\b|[;{]\s{0,8}$|\)\s{0,4}:\s{0,4}$/m;
const MATHEMATICS =
  /[∫∑√≤≥∞∂]|\\(?:frac|sum|int)|\b(?:integral|theorem|equation|derivative|eigenvalue|probability|matri(?:x|ces)|modulo|prime|convex)\b|方程|定理|积分|导数|概率|矩阵|素数|求解/i;
const REASONING =
  /\b(?:prove|proof|derive|design|architect(?:ure)?|analy[sz]e|optimi[sz]e|trade-?offs?|debug|root cause|why does|compare|evaluate|critique|strateg(?:y|ic)|diagnose|concurren(?:t|cy)|race condition|distributed|complexity|counterexample|formal(?:ly)?|rigorous(?:ly)?|plan)\b|证明|推导|设计|架构|分析|优化|权衡|调试|根本原因|比较|评估|策略|并发|分布式|复杂度|反例|严格|规划/i;
const ROUTINE =
  /\b(?:translate|spell(?:ing)?|capital of|rephrase|uppercase|lowercase|rename|say hello|title for|synonym)\b|翻译|错别字|首都|改写|近义词|标题/i;

const EFFORT: ReadonlyMap<unknown, number> = new Map([
  ["none", -2],
  ["minimal", -1.5],
  ["low", -1],
  ["high", 2],
  ["xhigh", 3],
]);

/**
 * Returns the difficulty of a conversation's next answer, 0 to 1.
 *
 * @default constants {those in use}
 */
export function difficultyOf(
  messages: readonly ChatMessage[],
  signals: DifficultySignals,
  constants: DifficultyConstants = DIFFICULTY_CONSTANTS,
): number {
  const { text, letters } = lastUserText(messages, constants.counted);
  let size = Math.max(-4, Math.log2(Math.max(1, letters) / TYPICAL_LETTERS));
  const otherBytes = Math.max(0, signals.textBytes - letters);
  size += Math.min(1.5, 0.25 * Math.max(0, Math.log2(otherBytes / TYPICAL_OTHER_BYTES)));
  if (CODE.test(text)) size += constants.code;
  if (MATHEMATICS.test(text)) size += constants.mathematics;
  if (REASONING.test(text)) size += constants.reasoning;
  if (ROUTINE.test(text)) size -= 0.3;
  if (signals.schema) size += 0.2;
  if (signals.tools > 0) size += 0.3;
  return difficultyOfSize(size + (EFFORT.get(signals.effort) ?? 0), constants.slope);
}

/**
 * Returns the difficulty of a request by its size in doublings, 0 being typical.
 *
 * @default slope {the one in use}
 */
export function difficultyOfSize(size: number, slope: number = DIFFICULTY_CONSTANTS.slope): number {
  return Math.min(0.95, Math.max(0.05, TYPICAL_DIFFICULTY * 2 ** (slope * size)));
}

/** The user's last message: its first and last characters, and the number of letters and symbols. */
interface LastText {
  readonly text: string;
  readonly letters: number;
}

function lastUserText(
  messages: readonly ChatMessage[],
  counted: DifficultyConstants["counted"],
): LastText {
  const lettersOf = counted === "letters" ? countLetters : ({ length }: string) => length;
  const message = messages.findLast(({ role }) => role === "user");
  const content = message?.content;
  if (typeof content === "string") return { text: ends(content), letters: lettersOf(content) };
  let text = "";
  let letters = 0;
  for (const part of content ?? []) {
    if (typeof part["text"] !== "string") continue;
    if (text.length < 2 * READ_CHARS) text += ends(part["text"]) + "\n";
    letters += lettersOf(part["text"]);
  }
  return { text: ends(text), letters };
}

function ends(text: string): string {
  if (text.length <= 2 * READ_CHARS) return text;
  return text.slice(0, READ_CHARS) + "\n" + text.slice(-READ_CHARS);
}

/** Counted characters of a text; the share of letters in them stands for all of a longer text. */
const COUNTED_CHARS = 8_192;

/** Returns the number of characters that are neither digits of ASCII nor white space. */
function countLetters(text: string): number {
  const read = Math.min(text.length, COUNTED_CHARS);
  let letters = 0;
  for (let at = 0; at < read; at++) {
    const code = text.charCodeAt(at);
    if (code > 57 || (code > 32 && code < 48)) letters++;
  }
  return read === 0 ? 0 : letters * text.length / read;
}
