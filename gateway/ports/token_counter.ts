/**
 * Counts the tokens of text of which an upstream reported no usage. It is slow and large: never use
 * it before an answer.
 */
export interface TokenCounter {
  /**
   * Counts the tokens of a text. A long text is built when its turn comes: long texts are counted
   * one by one.
   */
  count(text: string | LateText): Promise<number>;
}

/** A text that takes more memory when it is built. */
export interface LateText {
  /** Approximate length, in UTF-16 code units. */
  readonly chars: number;
  text(): string;
}
