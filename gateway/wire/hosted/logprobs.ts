import { UpstreamCut } from "../../ports/upstream.ts";
import { CollectedText } from "../text/collected_text.ts";
import { memberText } from "../json/text.ts";

/**
 * Maximum length of the log probabilities of one answer, in UTF-16 code units: 4 000 tokens with
 * twenty alternatives each, 80 000 with none.
 */
export const LOGPROBS_MAX_CHARS = 16 * 1024 * 1024;

const LISTS = ["content", "refusal"] as const;

/** Log probabilities of tokens that arrive in pieces; each token keeps its bytes. */
export class HostedLogprobs {
  readonly #lists = new Map<string, CollectedText>();
  #remaining = LOGPROBS_MAX_CHARS;

  /**
   * Adds those of a piece, an object's JSON text. Throws an {@linkcode UpstreamCut} beyond the
   * limit.
   */
  add(logprobs: string): void {
    if (!logprobs.startsWith("{")) return;
    for (const name of LISTS) {
      const list = memberText(logprobs, name);
      if (list?.startsWith("[") === true) this.#push(name, list.slice(1, -1).trim());
    }
  }

  /** Returns all of them as JSON text: `null` where there are none. */
  text(): string {
    if (this.#lists.size === 0) return "null";
    const [content, refusal] = LISTS.map((name) => {
      const list = this.#lists.get(name);
      return list === undefined ? "null" : `[${list.text()}]`;
    });
    return `{"content":${content},"refusal":${refusal}}`;
  }

  #push(name: string, tokens: string): void {
    const known = this.#lists.get(name);
    const list = known ?? new CollectedText();
    if (known === undefined) this.#lists.set(name, list);
    if (tokens === "") return;
    this.#remaining -= tokens.length;
    if (this.#remaining < 0) {
      const limit = `The log probabilities exceed ${LOGPROBS_MAX_CHARS} characters`;
      throw new UpstreamCut("malformed", limit);
    }
    list.push(list.pieces().length > 0 ? `,${tokens}` : tokens);
  }
}
