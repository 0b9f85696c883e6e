import type { ResponseAnnotation, ResponseLogprob } from "@svc/sdk/protocol";
import { GrowingText } from "../text/growing_text.ts";
import type { PartKind } from "./output_text.ts";
import type { Emit, TextItem, WrittenPiece } from "./stream_items.ts";

/** Text of a kind, or a citation of the text before it. */
type Said =
  | {
    readonly kind: PartKind;
    readonly text: GrowingText;
    readonly logprobs: ResponseLogprob[];
  }
  | { readonly cited: ResponseAnnotation };

/** What a message says that nobody has been told of. */
export class HeldMessage {
  readonly #said: Said[] = [];

  /** Whether it says nothing. */
  get isEmpty(): boolean {
    return this.#said.length === 0;
  }

  /** Adds text of a kind. */
  write(kind: PartKind, { piece, logprobs = [] }: WrittenPiece): void {
    let last = this.#said.at(-1);
    if (last === undefined || !("kind" in last) || last.kind !== kind) {
      this.#said.push(last = { kind, text: new GrowingText(), logprobs: [] });
    }
    last.text.push(piece);
    last.logprobs.push(...logprobs);
  }

  /** Adds a citation of the text so far. */
  cite(cited: ResponseAnnotation): void {
    this.#said.push({ cited });
  }

  /** All that it says in parts of a kind. */
  said(kind: PartKind): string {
    return this.#said.map((said) => "kind" in said && said.kind === kind ? said.text.text() : "")
      .join("");
  }

  /** Its text, in pieces. */
  pieces(): readonly string[] {
    return this.#said.flatMap((said) => "kind" in said ? [said.text.text()] : []);
  }

  /** Says all of it in an item that has begun: the events for that. */
  showIn(item: TextItem, emit: Emit): string {
    return this.#said.map((said) =>
      "kind" in said
        ? item.write(emit, said.kind, { piece: said.text.text(), logprobs: said.logprobs })
        : item.cite(emit, said.cited)
    ).join("");
  }
}
