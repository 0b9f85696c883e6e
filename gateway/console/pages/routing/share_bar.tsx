import type { InView } from "../../page.ts";
import * as ui from "../../components/mod.ts";
import { routingMessages } from "./messages.ts";

/** Colours of the style sheet for parts of a bar. */
const INKS = 8;

/** A part of a bar. */
export interface SharePart {
  readonly model: string;
  /** 0 to 1. */
  readonly share: number;
}

/** Colours by model: the same on all bars of a page. */
export type Inks = ReadonlyMap<string, string>;

/** Returns the colours of models, in their order; those beyond the last colour share one. */
export function inksOf(models: readonly { readonly model: string }[]): Inks {
  return new Map(models.map(({ model }, at) => [model, at < INKS ? String(at + 1) : "others"]));
}

/** Shares by model: a bar, and the same in words. */
export function ShareBar(
  { view, parts, inks }: InView<{ parts: readonly SharePart[]; inks: Inks }>,
) {
  const { verified } = view.say(routingMessages);
  const placed = parts.map((part, at) => ({
    ...part,
    x: parts.slice(0, at).reduce((sum, { share }) => sum + share, 0),
  }));
  return (
    <div class="share">
      <svg class="share-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {placed.map(({ model, x, share }) => (
          <rect
            class={`ink-${inks.get(model) ?? "others"}`}
            fill="currentcolor"
            x={(100 * x).toFixed(2)}
            width={(100 * share).toFixed(2)}
            height="6"
          />
        ))}
      </svg>
      <ul class="plain legend">
        {parts.map(({ model, share }) => (
          <li>
            <i class={`ink ink-${inks.get(model) ?? "others"}`} aria-hidden="true"></i>
            <span class="legend-name" title={model}>{model === "verified" ? verified : model}</span>
            <span class="number">{ui.percentText(share, 1)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
