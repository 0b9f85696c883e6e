import type { ResponseOutputItem, ResponseResource } from "../protocol/mod.ts";
import { isReply } from "../run/tasks.ts";
import type { ResponseEvent } from "./shapes.ts";

interface DoneItem {
  readonly place: number;
  readonly item: ResponseOutputItem;
}

/** Merges the events of one streamed response into its resource. */
export class EventMerger {
  readonly #items: DoneItem[] = [];
  #last: ResponseResource | undefined;

  /** Adds the next event. Events of an orchestrated request's other tasks are ignored. */
  add(event: ResponseEvent): void {
    if (!isReply(event)) return;
    switch (event.type) {
      case "response.output_item.done":
        this.#addItem(event);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#last = event.response ?? undefined;
    }
  }

  /**
   * Returns the resource; `undefined` before the stream's last event. When an upstream omits the
   * output there, it is the merged items.
   */
  resource(): ResponseResource | undefined {
    if (this.#last === undefined || this.#items.length === 0 || this.#last.output?.length > 0) {
      return this.#last;
    }
    const items = this.#items.toSorted((a, b) => a.place - b.place);
    return { ...this.#last, output: items.map(({ item }) => item) };
  }

  #addItem({ item, output_index }: { item: ResponseOutputItem; output_index?: number }): void {
    if (item === undefined) return;
    const place = output_index ?? this.#items.length;
    const known = this.#items.findIndex((other) =>
      other.place === place && (!item.id || !other.item.id || other.item.id === item.id)
    );
    if (known < 0) this.#items.push({ place, item });
    else this.#items[known] = { place, item };
  }
}
