/**
 * Difficulty of a prompt from 0 (trivial) to 1 (hard): a sum of named signals.
 *
 * | signal | adds |
 * |---|---|
 * | every request | 0.05 |
 * | length of all text, in bytes | 0.05 for every doubling beyond 256, at most 0.35 |
 * | questions in the last message | 0.04 for each after the first, at most 0.12 |
 * | code in the last message | 0.15 |
 * | mathematics in the last message | 0.2 |
 * | words that ask for reasoning or design | 0.25 for the first, 0.1 for each more, at most 0.45 |
 * | steps to follow, numbered or named | 0.1 |
 * | words of routine work (translate, fix spelling, ...) | -0.1 |
 * | strict JSON schema | 0.05 |
 * | tools on offer | 0.05, and 0.01 for each, at most 0.15 |
 * | reasoning effort | none -0.2, minimal -0.15, low -0.1, high 0.25, xhigh 0.35 |
 *
 * Only the last message of the user is read, and of it the first and the last 2 000 characters.
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

const READ_CHARS = 2_000;

const QUESTION = /[?？]/g;
const CODE =
  /```|=>|\(\)|; {0,8}$|[{}]|\b(?:function|class|async|SELECT|regex|stack trace|compile|refactor|TypeScript|Python|Rust|SQL)\b|代码|函数|编译/im;
const MATHEMATICS =
  /[∫∑√≤≥∞∂]|\\(?:frac|sum|int)|\b(?:integral|theorem|equation|derivative|eigenvalue|probability|matri(?:x|ces)|modulo|prime|convex)\b|方程|定理|积分|导数|概率|矩阵|素数|求解/i;
const REASONING =
  /\b(?:prove|proof|derive|design|architect(?:ure)?|analy[sz]e|optimi[sz]e|trade-?offs?|debug|root cause|why does|compare|evaluate|critique|strateg(?:y|ic)|diagnose|concurren(?:t|cy)|race condition|distributed|complexity|counterexample|formal(?:ly)?|rigorous(?:ly)?|plan)\b|证明|推导|设计|架构|分析|优化|权衡|调试|根本原因|比较|评估|策略|并发|分布式|复杂度|反例|严格|规划/gi;
const STEPS =
  /\b(?:step by step|first\b[^.]{0,200}\bthen|finally|in detail)\b|(?:^|\n) {0,8}\d{1,3}[.)]\s|首先|然后|最后|逐步|一步一步|详细/i;
const ROUTINE =
  /\b(?:translate|spell(?:ing)?|capital of|rephrase|uppercase|lowercase|rename|say hello|title for|synonym)\b|翻译|错别字|首都|改写|近义词|标题/i;

const EFFORT: ReadonlyMap<unknown, number> = new Map([
  ["none", -0.2],
  ["minimal", -0.15],
  ["low", -0.1],
  ["high", 0.25],
  ["xhigh", 0.35],
]);

/** Returns the difficulty of a conversation's next answer. */
export function difficultyOf(messages: readonly ChatMessage[], signals: DifficultySignals): number {
  const text = lastUserText(messages);
  const reasoning = countOf(text, REASONING);
  let sum = 0.05;
  if (signals.textBytes > 256) sum += Math.min(0.35, 0.05 * Math.log2(signals.textBytes / 256));
  sum += Math.min(0.12, 0.04 * Math.max(0, countOf(text, QUESTION) - 1));
  if (CODE.test(text)) sum += 0.15;
  if (MATHEMATICS.test(text)) sum += 0.2;
  if (reasoning > 0) sum += Math.min(0.45, 0.15 + 0.1 * reasoning);
  if (STEPS.test(text)) sum += 0.1;
  if (ROUTINE.test(text)) sum -= 0.1;
  if (signals.schema) sum += 0.05;
  if (signals.tools > 0) sum += Math.min(0.15, 0.05 + 0.01 * signals.tools);
  sum += EFFORT.get(signals.effort) ?? 0;
  return Math.min(1, Math.max(0, sum));
}

function lastUserText(messages: readonly ChatMessage[]): string {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (message?.role !== "user") continue;
    const { content } = message;
    if (typeof content === "string") return ends(content);
    let text = "";
    for (const part of content ?? []) {
      if (typeof part["text"] === "string") text += ends(part["text"]) + "\n";
      if (text.length > 2 * READ_CHARS) break;
    }
    return ends(text);
  }
  return "";
}

function ends(text: string): string {
  if (text.length <= 2 * READ_CHARS) return text;
  return text.slice(0, READ_CHARS) + "\n" + text.slice(-READ_CHARS);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
