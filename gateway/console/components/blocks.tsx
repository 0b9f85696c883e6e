/**
 * The blocks that the body of a page is made of.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";

/** The heading of a page; `children` are its actions, at the end of the line. */
export function PageHead(
  { title, intro, children }: { title: Child; intro?: Child; children?: Child },
) {
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {intro !== undefined && <p class="intro">{intro}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

/** A part of a page under a heading of its own; `actions` stand at the end of the heading's line. */
export function Panel(
  { title, actions, children }: { title: string; actions?: Child; children: Child },
) {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A few figures side by side, each with its name, and a remark where there is one. */
export function Figures(
  { items }: { items: readonly { name: string; value: Child; remark?: Child }[] },
) {
  return (
    <dl class="figures">
      {items.map(({ name, value, remark }) => (
        <div>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
          {remark !== undefined && <dd class="remark">{remark}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** Terms and what they are for one thing. A value that is `null` or `undefined` shows as a dash. */
export function DefinitionList(
  { items }: { items: readonly (readonly [term: string, value: Child])[] },
) {
  return (
    <dl class="definitions">
      {items.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value === null || value === undefined || value === "" ? "–" : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A message that is read out at once: a success, a problem, or a piece of information. */
export function Notice({ kind, children }: { kind: "done" | "problem" | "info"; children: Child }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** Rating of a state. */
export type BadgeKind = "good" | "warn" | "bad" | "neutral";

/** A state in a word. The word says it; the colour only helps. */
export function Badge({ kind, children }: { kind: BadgeKind; children: Child }) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}

/** Says that there is nothing, and what to do about it; `children` are actions. */
export function EmptyState(
  { title, hint, children }: { title: string; hint: string; children?: Child },
) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{hint}</p>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}
