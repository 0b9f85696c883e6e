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
