/** Counts tokens of text where an upstream reported no usage. Slow and large: never before an answer. */
export interface TokenCounter {
  count(text: string): Promise<number>;
}
