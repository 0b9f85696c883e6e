import type { ResponseOutputItem, ResponseResource } from "../protocol/mod.ts";
import { isReply } from "../run/tasks.ts";
import type { ResponseEvent } from "./shapes.ts";

interface DoneItem {
  readonly place: number;
  readonly item: ResponseOutputItem;
}

/** Adds the events of one streamed response up to the resource that they tell. */
export class EventMerger {
  readonly #items: DoneItem[] = [];
  #last: ResponseResource | undefined;

  /** Takes in the next event. Those of an orchestrated request's other tasks are no part of it. */
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
   * The resource; `undefined` before the stream's last event has told it. Some upstreams leave the
   * output out there: it is then what the items have told.
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
