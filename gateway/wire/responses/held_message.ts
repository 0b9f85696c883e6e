import type { ResponseAnnotation, ResponseLogprob } from "@svc/sdk/protocol";
import { GrowingText } from "../text/growing_text.ts";
import type { PartKind } from "./output_text.ts";
import type { Emit, TextItem, WrittenPiece } from "./stream_items.ts";

/** Text of a kind, or a citation of the text before it. */
type HeldContent =
  | { readonly kind: PartKind; readonly text: GrowingText; readonly logprobs: ResponseLogprob[] }
  | { readonly cited: ResponseAnnotation };

/** Content of a message that was not sent yet. */
export class HeldMessage {
  readonly #contents: HeldContent[] = [];

  /** True when it has no content. */
  get isEmpty(): boolean {
    return this.#contents.length === 0;
  }

  /** Adds text of a kind. */
  write(kind: PartKind, { piece, logprobs = [] }: WrittenPiece): void {
    let last = this.#contents.at(-1);
    if (last === undefined || !("kind" in last) || last.kind !== kind) {
      this.#contents.push(last = { kind, text: new GrowingText(), logprobs: [] });
    }
    last.text.push(piece);
    last.logprobs.push(...logprobs);
  }

  /** Adds a citation of the text so far. */
  cite(cited: ResponseAnnotation): void {
    this.#contents.push({ cited });
  }

  /** Returns the text of all parts of a kind. */
  textOf(kind: PartKind): string {
    return this.#contents.map((content) =>
      "kind" in content && content.kind === kind ? content.text.text() : ""
    )
      .join("");
  }

  /** Returns its text in pieces. */
  pieces(): readonly string[] {
    return this.#contents.flatMap((content) => "kind" in content ? [content.text.text()] : []);
  }

  /** Writes all content into an item that has begun; returns the events. */
  showIn(item: TextItem, emit: Emit): string {
    return this.#contents.map((content) =>
      "kind" in content
        ? item.write(emit, content.kind, { piece: content.text.text(), logprobs: content.logprobs })
        : item.cite(emit, content.cited)
    ).join("");
  }
}
