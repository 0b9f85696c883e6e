import type { Child } from "@hono/hono/jsx";

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
