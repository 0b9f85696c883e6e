/** Counts tokens of text where an upstream reported no usage. Slow and large: never before an answer. */
export interface TokenCounter {
  /** A long text that is made late waits for its turn, and is made then: they are counted one by one. */
  count(text: string | LateText): Promise<number>;
}

/** Text that takes more room as a text than it does where it is kept. */
export interface LateText {
  /** About its length, in UTF-16 code units. */
  readonly chars: number;
  text(): string;
}
